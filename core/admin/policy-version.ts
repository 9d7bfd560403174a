/** Policy versions as requests name them. */
import { readVersion } from '#core/configuration/store/stored-form.ts';
import { invalidRequest, notFound } from '#core/kernel/errors.ts';
import type { Call } from './operation.ts';

/** @throws GatewayError `invalid_request` for what is not a whole number from 1. */
export function versionNumber(text: string | undefined): number {
  const version = Number(text);
  if (!Number.isInteger(version) || version < 1) {
    throw invalidRequest(`version is ${JSON.stringify(text)}; it takes a whole number from 1.`);
  }
  return version;
}

/** @throws GatewayError `not_found` for a version that is not kept. */
export async function versionOf({ ports }: Call, text: string | undefined) {
  const found = await readVersion(ports, versionNumber(text));
  if (!found) throw notFound(`Policy version ${text}`);
  return found;
}
