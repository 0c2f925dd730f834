import { type ResultCode, TrunklineError } from "@trunkline/core";

/** A message that the host handed in was refused and wrote nothing; its code is that of a result. */
export class SubmitRefused extends TrunklineError {
  override readonly name = "SubmitRefused";
  readonly resultCode: ResultCode;

  constructor(resultCode: ResultCode, message: string) {
    super(resultCode, message, { path: resultCode === "conflict" ? "idempotencyKey" : "sessionKey" });
    this.resultCode = resultCode;
  }
}
