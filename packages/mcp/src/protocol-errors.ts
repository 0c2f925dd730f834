import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { TrunklineError } from "@trunkline/core";

/**
 * The error that a client gets for a failure that is no result: an unknown tool, a cursor or a caller that cannot be
 * (-32602), a store that did not answer (-32603 with its code, and whether the same call may succeed later). What nobody
 * foresaw gives away nothing.
 */
export function asProtocolError(error: unknown, onError: (error: unknown) => void): ProtocolError {
  if (ProtocolError.isInstance(error)) return error;
  if (!TrunklineError.isInstance(error)) {
    onError(error);
    return new ProtocolError(ProtocolErrorCode.InternalError, "the server failed; its log says more");
  }
  const { code, message, fix, path, retryable } = error;
  const isInput = code === "invalid_input" || code === "invalid_key";
  if (!isInput) onError(error);
  return new ProtocolError(
    isInput ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    isInput && fix !== undefined ? `${message}. ${fix}` : message,
    { code, retryable, ...(path === undefined ? {} : { path }) },
  );
}
