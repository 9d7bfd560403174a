/**
 * Expressions and statements that change data or read a server file. Each leaves a trace in the database of
 * `database.ts`; the generator inserts them in place of harmless values.
 */
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import { canary } from './database.ts';

export const types = ['int', 'text', 'boolean', 'float', 'json', 'date', 'ints', 'texts'] as const;
export type Type = (typeof types)[number];

const list = z.array(z.string().transform((sql) => sql.replaceAll('CANARY', canary)));

export const { values: hostileValues, statements: hostileStatements } = readCases(
  'test/differential/sql/hostile.yaml',
  z.strictObject({ values: z.record(z.enum(types), list), statements: list }),
);
