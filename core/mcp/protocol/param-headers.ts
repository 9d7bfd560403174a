/**
 * `Mcp-Param-*` headers (2026-07-28): arguments that a tool's schema marks with `x-mcp-header` are also sent as
 * headers, so that a proxy can route on them. Headers from clients must match the body; headers to servers are built
 * from the body.
 */
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { decodedHeader, encodedHeader, mismatch } from './era.ts';

type Headers = Readonly<Record<string, string>>;

interface MarkedParameter {
  /** Header name in lower case. */
  readonly header: string;
  readonly path: string;
  readonly value: string | number | boolean;
}

/**
 * Checks a call's headers against its arguments. Absent arguments need no header.
 * @throws RpcFault -32020 for a header that is missing, unreadable or does not match.
 */
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

/** Returns the headers for a call to a server, regardless of the client's protocol revision. */
export const paramHeaders = (definition: JsonObject, args: JsonObject): Headers =>
  Object.fromEntries(
    markedIn(definition.inputSchema, args).map(({ header, value }) => [header, encodedHeader(String(value))]),
  );

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
const deepest = 16;

/** Returns the marked arguments. A mark counts only if its path consists of `properties` alone. */
function markedIn(schema: unknown, args: unknown, path: readonly string[] = []): MarkedParameter[] {
  const properties = isObject(schema) ? schema.properties : undefined;
  if (!isObject(properties) || !isObject(args) || path.length > deepest) return [];
  return Object.entries(properties).flatMap(([name, property]): MarkedParameter[] => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (!isObject(property) || value === undefined || value === null) return [];
    const [mark, at] = [property['x-mcp-header'], [...path, name]];
    if (typeof value === 'object') return markedIn(property, value, at);
    if (typeof mark !== 'string' || !token.test(mark)) return [];
    return [{ header: `mcp-param-${mark.toLowerCase()}`, path: at.join('.'), value }];
  });
}
