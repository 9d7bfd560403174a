/** Reads a provider's audio response, whose bytes are not read by filters. */

import type { JsonObject } from '#core/kernel/json.ts';
import type { Speech } from '#core/models/dialects/endpoints.ts';
import type { HttpReply } from './http.ts';
import { BadReply } from './reply.ts';

const soundType = /^(?:audio\/[a-z0-9.+-]{1,64}|application\/octet-stream)$/;

/**
 * Reads the audio.
 * @throws BadReply for a response that is not audio, after closing the connection; HttpFault `too-large` above
 * `maxBytes`.
 */
export async function speechOf({ headers, body, bytes }: HttpReply, maxBytes: number): Promise<Speech & JsonObject> {
  const media_type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (soundType.test(media_type)) return { media_type, base64: (await bytes(maxBytes)).toString('base64') };
  body.close();
  throw new BadReply('it is not audio, according to its Content-Type');
}
