/** The task sheet of a request: whom and what the person named, so that anything else asks once [manifest.from-request]. */
import type { TaskManifestBody } from '#core/contracts/task-manifest.ts';
import { addressesIn } from '#core/text/decode/addresses.ts';

const maxNamed = 64;
/** Characters with a meaning in globs: what holds one is left out, so it asks. */
const inGlobs = /[*?[\]{}!\\]/;
const path = /(?<![\w@:/.-])(?:~?\/|\.{1,2}\/)?(?:[\w.@-]+\/)+[\w.@-]*[\w@-]|(?<![\w/])~?\/[\w.@-]*[\w@-]/g;

/**
 * Lists that are given stand as they are. Recipients are those of the request, none where it names none; resources are limited
 * only where the request names some: its URLs and paths, and what lies below them.
 */
export function sheetOfRequest({ request, ...given }: TaskManifestBody): Omit<TaskManifestBody, 'request'> {
  if (request === undefined) return given;
  const addresses = addressesIn(request).filter((address) => !inGlobs.test(address));
  const isLocation = (address: string) => /:\/\/|^www\.|\//.test(address);
  const recipients = addresses.filter((address) => !isLocation(address)).map((each) => each.toLowerCase());
  const named = [...addresses.filter(isLocation), ...(request.match(path) ?? [])].map((each) =>
    each.replace(/\/+$/, ''),
  );
  const places = [...new Set(named)].filter((each) => each !== '');
  const resources = places.flatMap((each) => [each, `${each}/**`]);
  // A target may be the address itself: a call that reaches a person of the request stays inside.
  const within = resources.length === 0 ? [] : [...resources, ...recipients].slice(0, maxNamed);
  return {
    ...given,
    recipients: given.recipients ?? [...new Set(recipients)].slice(0, maxNamed),
    ...(given.resources === undefined && within.length > 0 && { resources: within }),
  };
}
