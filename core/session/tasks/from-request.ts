/**
 * Derives a task sheet from a request: the recipients and resources that the person named. Anything else needs approval
 * once [manifest.recipients].
 */
import type { TaskManifestBody } from '#core/contracts/task-manifest.ts';
import { addressesIn } from '#core/text/decode/addresses.ts';

const maxNamed = 64;
/** Glob characters. Names that contain one are left out of the sheet, so that they need approval. */
const inGlobs = /[*?[\]{}!\\]/;
const path = /(?<![\w@:/.-])(?:~?\/|\.{1,2}\/)?(?:[\w.@-]+\/)+[\w.@-]*[\w@-]|(?<![\w/])~?\/[\w.@-]*[\w@-]/g;

/**
 * Returns the sheet for a request. Keeps any lists already given. Recipients are those named in the request, possibly
 * none. Resources are limited only if the request names some; in that case, its URLs and paths and everything below
 * them are allowed.
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
  // A target may be the address itself, so a call that reaches a person named in the request is within the sheet.
  const within = resources.length === 0 ? [] : [...resources, ...recipients].slice(0, maxNamed);
  return {
    ...given,
    recipients: given.recipients ?? [...new Set(recipients)].slice(0, maxNamed),
    ...(given.resources === undefined && within.length > 0 && { resources: within }),
  };
}
