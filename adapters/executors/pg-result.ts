/** PostgreSQL results as JSON: values of types that JSON supports are kept, and all others remain PostgreSQL's text. */
import type { SqlResult } from '#core/execution/executors/ports.ts';

export interface Column {
  readonly name: string;
  readonly typeId: number;
}

const types: Readonly<Record<number, string>> = {
  16: 'boolean',
  17: 'bytea',
  20: 'bigint',
  21: 'smallint',
  23: 'integer',
  25: 'text',
  114: 'json',
  700: 'real',
  701: 'double precision',
  1042: 'char',
  1043: 'varchar',
  1082: 'date',
  1083: 'time',
  1114: 'timestamp',
  1184: 'timestamptz',
  1700: 'numeric',
  2950: 'uuid',
  3802: 'jsonb',
};

/** Numbers fields with the same name, so that all values are kept. */
export function uniqueFields(fields: SqlResult['fields']): SqlResult['fields'] {
  const seen = new Map<string, number>();
  return fields.map(({ name, type }) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return { name: times === 1 ? name : `${name}_${times}`, type };
  });
}

export const resultFields = (columns: readonly Column[]): SqlResult['fields'] =>
  uniqueFields(columns.map(({ name, typeId }) => ({ name, type: types[typeId] ?? String(typeId) })));

export function rowOf(fields: SqlResult['fields'], columns: readonly Column[], values: readonly (string | null)[]) {
  // Built from entries, because a column may be called `__proto__`.
  return Object.fromEntries(fields.map(({ name }, i) => [name, plainValue(columns[i]!.typeId, values[i] ?? null)]));
}

function plainValue(typeId: number, text: string | null): unknown {
  if (text === null) return null;
  switch (typeId) {
    case 16:
      return text === 't';
    case 20: {
      const value = Number(text);
      return Number.isSafeInteger(value) ? value : text;
    }
    case 21:
    case 23:
    case 700:
    case 701: {
      const value = Number(text);
      return Number.isFinite(value) ? value : text;
    }
    case 114:
    case 3802:
      return jsonOf(text);
    default:
      return text;
  }
}

/** Returns the value of a JSON text, or the text if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
