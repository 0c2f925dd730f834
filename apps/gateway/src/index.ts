export { type AccessToken, type OpenedToken, openToken } from "./auth/token-file.ts";
export { runCli } from "./cli/run-cli.ts";
export { type GatewayConfig, gatewayConfigSchema } from "./config/gateway-config.ts";
export { createHttpApp, type HttpAppOptions, type HttpHost } from "./http/create-http-app.ts";
export type { OutputStream, Surroundings } from "./terminal/surroundings.ts";
