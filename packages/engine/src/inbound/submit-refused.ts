import { type ResultCode, TrunklineError } from "@trunkline/core";

/** A message that the host handed in was refused and wrote nothing; `resultCode` is one of contract §2's. */
export class SubmitRefused extends TrunklineError {
  override readonly name = "SubmitRefused";
  readonly resultCode: ResultCode;

  constructor(resultCode: ResultCode, message: string) {
    super("invalid_input", message, { path: resultCode === "conflict" ? "idempotencyKey" : "sessionKey" });
    this.resultCode = resultCode;
  }
}
