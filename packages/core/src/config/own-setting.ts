/** The entry of a record under a name that came from outside; never what every object inherits. */
export function ownSetting<Value>(
  record: Readonly<Record<string, Value>>,
  name: string | undefined,
): Value | undefined {
  return name !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
