/**
 * Members that have the provider use another model, or tools, than the gateway decided on: aggregators of the same dialects read
 * them, and every other unknown member passes [chat.choosing-members].
 */

import type { ProviderEntry } from '#core/contracts/config.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';

/** In lower case without `_` and `-`, since aggregators read several spellings. */
const ofEveryDialect = [
  ...['models', 'route', 'provider', 'preset', 'plugins', 'transforms', 'modellist', 'modelgroup', 'customllmprovider'],
  ...['fallback', 'fallbacks', 'fallbackmodel', 'fallbackmodels', 'defaultfallbacks'],
  ...['contextwindowfallbacks', 'contextwindowfallbackdict', 'contentpolicyfallbacks'],
  ...['routersettingsoverride', 'userconfig', 'apibase', 'baseurl', 'apikey', 'extraheaders', 'extraquery'],
];

const choosing: Readonly<Record<'openai' | 'anthropic', ReadonlySet<string>>> = {
  openai: new Set([...ofEveryDialect, 'websearchoptions', 'searchparameters', 'enablesearch']),
  anthropic: new Set(ofEveryDialect),
};

/** Members whose contents aggregators take for members of the request, or of its routing. */
const containers: ReadonlySet<string> = new Set(['extrabody', 'litellmparams', 'litellmmetadata', 'metadata']);

/** Metadata are the caller's own tags: only these of them are read by routers. */
const ofMetadata: ReadonlySet<string> = new Set(
  ofEveryDialect.filter((name) => name.includes('model') || name.includes('fallback')),
);

const deepest = 4;

const folded = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/[_-]/g, '');

const isGiven = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** @throws GatewayError `invalid_request` that names the member and where it is allowed. */
export function refuseChoosing(
  dialect: 'openai' | 'anthropic',
  body: JsonObject,
  entries: readonly Pick<ProviderEntry, 'name' | 'passes'>[],
): void {
  for (const { path, name } of choosingIn(choosing[dialect], body, '')) {
    const refusing = entries.find(({ passes }) => !passes.some((listed) => folded(listed) === folded(name)));
    if (!refusing) continue;
    throw invalidRequest(
      `Found ${path}, by which the provider may use another model or tool than the one that was allowed; leave it out, or have ${name} listed in providers[].passes of the provider ${refusing.name}.`,
      { param: path },
    );
  }
}

interface ChoosingMember {
  readonly path: string;
  readonly name: string;
}

function choosingIn(names: ReadonlySet<string>, body: JsonObject, within: string, depth = 0): ChoosingMember[] {
  return Object.entries(body).flatMap(([name, value]): ChoosingMember[] => {
    if (!isGiven(value)) return [];
    const path = `${within}${name}`.slice(0, 128);
    const plain = folded(name);
    // At the top it is the model that was allowed.
    if (names.has(plain) || (plain === 'model' && within !== '')) return [{ path, name: name.slice(0, 64) }];
    if (!containers.has(plain) || typeof value !== 'object' || Array.isArray(value) || depth >= deepest) return [];
    return choosingIn(plain === 'metadata' ? ofMetadata : names, value as JsonObject, `${path}.`, depth + 1);
  });
}
