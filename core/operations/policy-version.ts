/** Policy versions that requests refer to. */
import { readBody, readVersion } from '#core/configuration/store/stored-form.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import type { Call } from './operation.ts';

/** Parses a version number. @throws GatewayError `invalid_request` for anything but a positive integer. */
export function versionNumber(text: string | undefined): number {
  const version = /^[1-9]\d{0,15}$/.test(text ?? '') ? Number(text) : 0;
  if (version === 0) throw invalidRequest(`version is ${JSON.stringify(text)}; it must be a whole number from 1.`);
  return version;
}

/** Returns a version. @throws GatewayError `not_found` for a version that is no longer stored. */
export async function versionOf({ ports }: Call, text: string | undefined) {
  const found = await readVersion(ports, versionNumber(text));
  if (!found) throw notFound(things.policyVersion, text);
  return found;
}

/**
 * Returns any version that was ever active, because evidence may refer to it [policy-version.numbered].
 * @throws GatewayError `not_found` if no version with this number was ever active.
 */
export async function citedVersion({ ports }: Call, text: string | undefined) {
  const row = await ports.configStore.ever(versionNumber(text));
  if (!row) throw notFound(things.policyVersion, text);
  return { row, configuration: await readBody(ports, row) };
}
