import type { Logger } from "@trunkline/core";

const nothing = () => undefined;

/** Where no logger was given. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
