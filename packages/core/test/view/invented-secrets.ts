import fc from "fast-check";

/** Characters of a token's body. */
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const alnum = letters + digits;
const hex = "0123456789abcdef";
const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

function text(characters: string, length: number): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...characters), minLength: length, maxLength: length });
}

/** A body as vendors make them: capitals, small letters and digits, all present. */
function body(length: number): fc.Arbitrary<string> {
  return text(alnum, length - 4).map((rest) => `aZ4${rest}Q`);
}

/** Invented tokens of every vendor family, put together here so that no file holds anything like one. */
export const vendorTokens: Readonly<Record<string, fc.Arbitrary<string>>> = {
  openai: body(32).map((rest) => `sk-${rest}`),
  "openai project": fc.tuple(body(30), body(12)).map(([a, b]) => `sk-proj-${a}_${b}`),
  anthropic: body(40).map((rest) => `sk-ant-api03-${rest}`),
  ...Object.fromEntries(
    ["p", "o", "u", "s", "r"].map((kind) => [`github ${kind}`, body(36).map((rest) => `gh${kind}_${rest}`)]),
  ),
  "github fine-grained": fc.tuple(body(22), body(40)).map(([a, b]) => `github_pat_${a}_${b}`),
  gitlab: body(20).map((rest) => `glpat-${rest}`),
  "gitlab runner": body(20).map((rest) => `GR1348941${rest}`),
  slack: fc.tuple(text(digits, 12), body(24)).map(([a, b]) => `xoxb-${a}-${b}`),
  "slack app": fc.tuple(text(upper, 10), text(digits, 13), text(hex, 40)).map(([a, b, c]) => `xapp-1-A${a}-${b}-${c}`),
  groq: body(40).map((rest) => `gsk_${rest}`),
  google: body(35).map((rest) => `AIza${rest}`),
  "google access": body(40).map((rest) => `ya29.${rest}`),
  "google refresh": body(30).map((rest) => `1//0${rest}`),
  jwt: fc.tuple(body(20), body(30), body(30)).map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c}`),
  perplexity: body(32).map((rest) => `pplx-${rest}`),
  fernet: body(60).map((rest) => `gAAAA${rest}`),
  stripe: body(24).map((rest) => `sk_live_${rest}`),
  "stripe webhook": body(32).map((rest) => `whsec_${rest}`),
  sendgrid: fc.tuple(body(22), body(43)).map(([a, b]) => `SG.${a}.${b}`),
  npm: body(36).map((rest) => `npm_${rest}`),
  pypi: body(40).map((rest) => `pypi-AgEIcHlwaS5vcmc${rest}`),
  digitalocean: text(hex, 64).map((rest) => `dop_v1_${rest}`),
  doppler: body(43).map((rest) => `dp.st.prd.${rest}`),
  docker: body(27).map((rest) => `dckr_pat_${rest}`),
  databricks: text(hex, 32).map((rest) => `dapi${rest}`),
  grafana: fc.tuple(body(32), text(hex, 8)).map(([a, b]) => `glsa_${a}_${b}`),
  atlassian: fc.tuple(body(60), text(upper, 8)).map(([a, b]) => `ATATT3xFfGF0${a}=${b}`),
  bitbucket: body(32).map((rest) => `ATBB${rest}`),
  heroku: body(58).map((rest) => `HRKU-AA${rest}`),
  hubspot: fc.tuple(text(hex, 8), text(hex, 4), text(hex, 12)).map(([a, b, c]) => `pat-na1-${a}-${b}-${b}-${b}-${c}`),
  fly: body(120).map((rest) => `FlyV1 fm2_${rest}`),
  xai: body(80).map((rest) => `xai-${rest}`),
  fireworks: body(32).map((rest) => `fw_${rest}`),
  tavily: body(32).map((rest) => `tvly-${rest}`),
  "hugging face": body(34).map((rest) => `hf_${rest}`),
  replicate: body(37).map((rest) => `r8_${rest}`),
  "aws key id": text(upper, 16).map((rest) => `AKIA${rest}`),
  tencent: body(32).map((rest) => `AKID${rest}`),
  alibaba: body(20).map((rest) => `LTAI${rest}`),
  telegram: fc.tuple(text("123456789", 10), body(33)).map(([a, b]) => `${a}:AA${b}`),
  discord: fc.tuple(text(alnum, 21), text(alnum, 6), body(38)).map(([a, b, c]) => `MTA${a}.${b}.${c}`),
  "slack webhook": fc
    .tuple(text(upper, 8), body(24))
    .map(([a, b]) => `https://hooks.slack.com/services/T${a}/B${a}/${b}`),
  bearer: body(40).map((rest) => `Bearer ${rest}`),
};

/** The opaque value of a secret field. */
export const opaqueSecret: fc.Arbitrary<string> = fc.oneof(body(16), body(24), body(40));

/** Ways to write a secret field, each around its value. */
export const secretFields: Readonly<Record<string, (value: string) => string>> = {
  env: (value) => `API_KEY=${value}`,
  "quoted env": (value) => `export DB_PASSWORD="${value}"`,
  json: (value) => `{"accessToken": "${value}", "id": 1}`,
  "escaped json": (value) => `{\\"refresh_token\\":\\"${value}\\"}`,
  "json escaped twice": (value) => `{\\\\\\"secretAccessKey\\\\\\": \\\\\\"${value}\\\\\\"}`,
  yaml: (value) => `  db_password: '${value}'`,
  "plain yaml": (value) => `password: ${value}`,
  ini: (value) => `secret = ${value}`,
  flag: (value) => `run --token ${value} --verbose`,
  "flag with equals": (value) => `run --api-key=${value} now`,
  header: (value) => `X-Api-Key: ${value}`,
  authorization: (value) => `Authorization: Bearer ${value}`,
  basic: (value) => `curl -H 'Proxy-Authorization: Basic ${value}' x`,
  cookie: (value) => `Cookie: sid=${value}; theme=dark`,
  "database url": (value) => `postgres://bob:${value}@db:5432/x`,
  query: (value) => `https://example.com/cb?access_token=${value}&a=1`,
  form: (value) => `grant_type=x&client_secret=${value}&foo=bar`,
  code: (value) => `const clientSecret = "${value}";`,
  python: (value) => `os.environ["API_TOKEN"] = '${value}'`,
  ruby: (value) => `:password => '${value}'`,
  go: (value) => `apiKey := "${value}"`,
  markdown: (value) => `**Password:** \`${value}\``,
  element: (value) => `<password>${value}</password>`,
  cell: (value) => `| API_KEY | ${value} |`,
  variable: (value) => `- name: DB_PASSWORD\n  value: ${value}`,
  "private key": (value) => `-----BEGIN PRIVATE KEY-----\n${value}\n${value}\n-----END PRIVATE KEY-----`,
  "private key cut off": (value) => `-----BEGIN PRIVATE KEY-----\n${value}\n${value}`,
};

/** Ways to put a token into a text. */
export const surroundings: readonly ((token: string) => string)[] = [
  (token) => token,
  (token) => `key ${token} ok`,
  (token) => `"${token}"`,
  (token) => `\`${token}\`.`,
  (token) => `(${token}),`,
  (token) => `x=${token}`,
  (token) => `{"a":"${token}"}`,
  (token) => `{\\"a\\":\\"${token}\\"}`,
  (token) => `a\\n${token}\\nb`,
  (token) => `https://example.com/p?q=${token}&z=1`,
  (token) => `你${token}好`,
  (token) => `|${token}|`,
  (token) => `<b>${token}</b>`,
  (token) => `**${token}**`,
  (token) => `\`\`\`\n${token}\n\`\`\``,
];

/** True when eight characters and more of a secret's middle, which no mask shows, stand in a text. */
export function leaks(shown: string, secret: string): boolean {
  const middle = secret.slice(8, -4);
  for (let index = 0; index + 8 <= middle.length; index += 1) {
    if (shown.includes(middle.slice(index, index + 8))) return true;
  }
  return false;
}
