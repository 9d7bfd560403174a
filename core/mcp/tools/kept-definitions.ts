/**
 * Texts of tool definitions, kept in the object store under their fingerprint, so that a human who is to accept a change can read
 * what was accepted before beside it [mcp.definition-diff]. The marks hold no word of a server, only that the text is there.
 */
import { canonicalize, digestOf } from '#core/kernel/canonical.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ObjectStore, Telemetry } from '#core/kernel/ports.ts';

/** What a model reads of a definition, what its arguments mean, and what a client loads or shows for it. */
function whatCounts({ name, title, description, inputSchema, outputSchema, annotations, icons, _meta }: JsonObject) {
  const beside = { ...(icons !== undefined && { icons }), ...(_meta !== undefined && { _meta }) };
  return { name, title, description, inputSchema, outputSchema, annotations, ...beside };
}

/** SHA-256 over it: the digest under which the object store has the same text. */
export const fingerprintOf = (definition: JsonObject): string => digestOf(whatCounts(definition));

export const keptSizes = {
  /** A longer definition is compared by its digest alone. */
  oneBytes: 32 * 1024,
  /** Of one reading of a server's list: a server that changes everything at once fills no store. */
  allBytes: 1024 * 1024,
} as const;

const atATime = 8;

interface Stores {
  readonly definitionTexts: Pick<ObjectStore, 'put'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

/**
 * Never throws: a store that does not answer costs the comparison, and never the call.
 * @returns whether each was kept, by fingerprint; one that the store did not take is missing, and is kept with a later reading.
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
    break; // the store is asked again with the next reading
  }
  return kept;
}

/** What was kept under a fingerprint; undefined where it is not there any more. @throws as the object store. */
export async function keptDefinition(
  definitionTexts: Pick<ObjectStore, 'get'>,
  fingerprint: string,
): Promise<JsonObject | undefined> {
  const bytes = await definitionTexts.get(fingerprint);
  return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonObject);
}
