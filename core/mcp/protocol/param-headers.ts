/**
 * `Mcp-Param-*` headers (2026-07-28): arguments that a tool's schema marks with `x-mcp-header` travel in a header as well, for
 * whatever stands in front. What a client sends must say what its body says; what a server gets says what the body says.
 */
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { decodedHeader, encodedHeader, mismatch } from './era.ts';

type Headers = Readonly<Record<string, string>>;

interface Marked {
  /** In lower case. */
  readonly header: string;
  readonly path: string;
  readonly value: string | number | boolean;
}

/** @throws RpcFault -32020 for a header that is missing, unreadable or says something else. Arguments that are absent need none. */
export function checkParamHeaders(definition: JsonObject, args: JsonObject, given: Headers): void {
  for (const { header, path, value } of markedIn(definition.inputSchema, args)) {
    const sent = given[header];
    if (sent === undefined) throw mismatch('(missing)', `the ${header} header must repeat arguments.${path}`);
    const said = decodedHeader(sent);
    const same =
      typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(said ?? '') ? Number(said) === value : said === String(value);
    if (!same) throw mismatch(sent, `arguments.${path} differs from the ${header} header`);
  }
}

/** The headers a call needs, whatever its client sent: one of an older revision sends none. */
export const paramHeaders = (definition: JsonObject, args: JsonObject): Headers =>
  Object.fromEntries(
    markedIn(definition.inputSchema, args).map(({ header, value }) => [header, encodedHeader(String(value))]),
  );

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
const deepest = 16;

/** Marks count where properties alone lead to them; elsewhere they have no meaning. */
function markedIn(schema: unknown, args: unknown, path: readonly string[] = []): Marked[] {
  const properties = isObject(schema) ? schema.properties : undefined;
  if (!isObject(properties) || !isObject(args) || path.length > deepest) return [];
  return Object.entries(properties).flatMap(([name, property]): Marked[] => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (!isObject(property) || value === undefined || value === null) return [];
    const [mark, at] = [property['x-mcp-header'], [...path, name]];
    if (typeof value === 'object') return markedIn(property, value, at);
    if (typeof mark !== 'string' || !token.test(mark)) return [];
    return [{ header: `mcp-param-${mark.toLowerCase()}`, path: at.join('.'), value }];
  });
}
