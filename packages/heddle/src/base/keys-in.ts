// Keys in: the names in a table, typed by the table. Only for tables whose members are all known: a literal, or what was
// made from one; a value from outside may have more members than its type says.

export function keysIn<Table extends object>(table: Table): readonly (keyof Table & string)[] {
  return Object.keys(table) as (keyof Table & string)[]; // the caller knows that it has no others
}
