/** Ends a commit's steps when a guard, a unique rule or a limit does not hold. Never leaves `commitSteps`. */
export class GuardFailed extends Error {
  override readonly name = "GuardFailed";
}

const failed = new GuardFailed("a guard of this transaction did not hold");

export function require(condition: boolean): asserts condition {
  if (!condition) throw failed;
}
