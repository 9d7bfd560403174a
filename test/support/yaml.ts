/** Reads tables of test cases, which are YAML files next to their tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import type { JsonObject } from '#core/kernel/json.ts';

/** Reads a YAML file by its path in the repository. @throws if it does not have the expected shape. */
export const readCases = <T>(path: string, schema: z.ZodType<T>): T =>
  schema.parse(parse(readFileSync(join(import.meta.dirname, '../..', path), 'utf8'), { version: '1.2' }));

/** Rows of a table, with the schema of each column. */
export const rows = <T extends readonly [z.ZodType, ...z.ZodType[]]>(...columns: T) => z.array(z.tuple(columns));
export const [text, flag, texts] = [z.string(), z.boolean(), z.array(z.string())];
export const object = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null);
export const anything = z.custom<JsonObject[string]>();
/** A column that is null in some rows, which the test reads as undefined. */
export const orUndefined = <T>(schema: z.ZodType<T>) => schema.nullable().transform((value) => value ?? undefined);
