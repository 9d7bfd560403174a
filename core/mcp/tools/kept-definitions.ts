/**
 * Stores the text of tool definitions in the object store under their fingerprint, so that a human can compare a change
 * with the accepted definition [guard.changes]. Marks contain no text from a server.
 */
import { canonicalize, digestOf } from '#core/kernel/canonical.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ObjectStore, Telemetry } from '#core/kernel/ports.ts';

/** Returns the members that models read, that define arguments, or that clients load or display. */
function whatCounts({ name, title, description, inputSchema, outputSchema, annotations, icons, _meta }: JsonObject) {
  const beside = { ...(icons !== undefined && { icons }), ...(_meta !== undefined && { _meta }) };
  return { name, title, description, inputSchema, outputSchema, annotations, ...beside };
}

/** Returns the SHA-256 of these members, under which the object store keeps the text. */
export const fingerprintOf = (definition: JsonObject): string => digestOf(whatCounts(definition));

export const keptSizes = {
  /** Maximum size of one definition. Longer ones are compared by digest only. */
  oneBytes: 32 * 1024,
  /** Maximum size stored per read of a list, so that a server that changes everything cannot fill the store. */
  allBytes: 1024 * 1024,
} as const;

const atATime = 8;

interface Stores {
  readonly definitionTexts: Pick<ObjectStore, 'put'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

/**
 * Stores definitions. Never throws: without the store a call still succeeds, and only the comparison is lost.
 * @returns for each fingerprint, whether the text was stored. Fingerprints that could not be stored are missing, and
 * are retried on a later read.
 */
export async function keepDefinitions(
  { definitionTexts, telemetry }: Stores,
  definitions: readonly JsonObject[],
): Promise<ReadonlyMap<string, boolean>> {
  const kept = new Map<string, boolean>();
  const texts: Buffer[] = [];
  let left: number = keptSizes.allBytes;
  for (const definition of definitions) {
    const text = Buffer.from(canonicalize(whatCounts(definition)));
    const fits = text.length <= Math.min(left, keptSizes.oneBytes);
    if (fits) {
      left -= text.length;
      texts.push(text);
    } else kept.set(fingerprintOf(definition), false);
  }
  for (let at = 0; at < texts.length; at += atATime) {
    const digests = await Promise.all(
      texts.slice(at, at + atATime).map((text) => definitionTexts.put(text).catch((fault: Error) => fault)),
    );
    for (const digest of digests) if (typeof digest === 'string') kept.set(digest, true);
    const fault = digests.find((digest) => typeof digest !== 'string');
    if (fault === undefined) continue;
    telemetry.log('warn', 'definitions of tools were not kept', { error: (fault as Error).name });
    break; // retried at the next read
  }
  return kept;
}

/**
 * Returns the definition stored under a fingerprint, or undefined if it no longer exists. @throws the object store's
 * errors.
 */
export async function keptDefinition(
  definitionTexts: Pick<ObjectStore, 'get'>,
  fingerprint: string,
): Promise<JsonObject | undefined> {
  const bytes = await definitionTexts.get(fingerprint);
  return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonObject);
}
