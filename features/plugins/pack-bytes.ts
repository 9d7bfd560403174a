/** The published and signed form of a policy pack: canonical JSON, which is also YAML [supply-chain.envelope]. */
import type { ToolPack } from '#core/contracts/tool-policy.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { parsePack } from '#core/policy/rules/pack.ts';

/**
 * Returns the bytes of a pack.
 * @throws GatewayError `invalid_request` for a document that is not a pack.
 */
export const packBytes = (document: unknown, where: string): Buffer =>
  Buffer.from(canonicalize(parsePack(document, where)));

/**
 * Parses the bytes of a pack.
 * @throws GatewayError `invalid_request` for bytes that are not a pack in canonical form.
 */
export function readPackBytes(bytes: Uint8Array, where: string): ToolPack {
  const text = Buffer.from(bytes).toString('utf8');
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw invalidRequest(`${where} is not JSON; sign a pack with --out, and publish the file that it writes.`);
  }
  const pack = parsePack(document, where);
  if (canonicalize(pack) !== text)
    throw invalidRequest(
      `${where} is not in canonical form; sign the pack with --out, and publish the file that it writes.`,
    );
  return pack;
}
