/** `listRank` → `list_rank`: columns are snake case in the database. */
export function columnName(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
