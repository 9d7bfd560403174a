/**
 * Members that make a provider use a different model or different tools than the gateway approved. Aggregators that use
 * the same dialects read them; all other unknown members are passed through [chat.choosing-members].
 */

import type { ProviderEntry } from '#core/contracts/config.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { rememberedText } from '#core/kernel/remembered.ts';

/** Names in lower case without `_` and `-`, because aggregators accept several spellings. */
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

/** Members whose contents aggregators treat as members of the request or its routing. */
const containers: ReadonlySet<string> = new Set(['extrabody', 'litellmparams', 'litellmmetadata', 'metadata']);

/** Metadata that routers read. All other metadata consists of the caller's own tags. */
const ofMetadata: ReadonlySet<string> = new Set(
  ofEveryDialect.filter((name) => name.includes('model') || name.includes('fallback')),
);

const deepest = 4;

const foldParameterName = rememberedText((name) => name.normalize('NFKC').toLowerCase().replace(/[_-]/g, ''));

const isGiven = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/**
 * Refuses such members. @throws GatewayError `invalid_request` that names the member and states where it is allowed.
 */
export function refuseChoosing(
  dialect: 'openai' | 'anthropic',
  body: JsonObject,
  entries: readonly Pick<ProviderEntry, 'name' | 'passes'>[],
): void {
  for (const { path, name } of choosingIn(choosing[dialect], body, '')) {
    const refusing = entries.find(
      ({ passes }) => !passes.some((listed) => foldParameterName(listed) === foldParameterName(name)),
    );
    if (!refusing) continue;
    throw invalidRequest(
      `Found ${path}, which lets the provider use a model or tool other than the one that was allowed; leave it out, or have ${name} listed in providers[].passes of the provider ${refusing.name}.`,
      { param: path },
    );
  }
}

interface ChoosingMember {
  readonly path: string;
  readonly name: string;
}

function* choosingIn(
  names: ReadonlySet<string>,
  body: JsonObject,
  within: string,
  depth = 0,
): Iterable<ChoosingMember> {
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (!isGiven(value)) continue;
    const plain = foldParameterName(name);
    const isChoosing = names.has(plain) || (plain === 'model' && within !== ''); // at the top level it is the allowed model
    if (!isChoosing && !containers.has(plain)) continue;
    const path = `${within}${name}`.slice(0, 128);
    if (isChoosing) yield { path, name: name.slice(0, 64) };
    else if (typeof value === 'object' && !Array.isArray(value) && depth < deepest)
      yield* choosingIn(plain === 'metadata' ? ofMetadata : names, value as JsonObject, `${path}.`, depth + 1);
  }
}
