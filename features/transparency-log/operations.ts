/** The transparency log over HTTP: checkpoint, consistency proofs, tiles, and cosignatures of witnesses. */
import * as z from 'zod';
import { cosignedAt, openCheckpoint } from '#core/evidence/transparency/checkpoint-note.ts';
import { keysOfLog, verifierKey } from '#core/evidence/transparency/note.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { type Call, type Operation, parseBySchema } from '#core/operations/operation.ts';
import { LogReader } from './log-reader.ts';
import { tileOf } from './tiles.ts';

/** Returns the log. @throws GatewayError `not_found` if the host has none. */
function logOf({ ports }: Call): LogReader {
  const { transparency } = ports;
  if (!(transparency instanceof LogReader)) throw notFound({ noun: 'transparency log' });
  return transparency;
}

/**
 * Returns the newest checkpoint and the cosigned ones. The key is included for convenience: pin a key that you obtained
 * from another source.
 */
export const logCheckpoint: Operation = async (call) => {
  const [log, { tenant }] = [logOf(call), call.principal];
  const checkpoint = await log.checkpoint(tenant);
  if (checkpoint === undefined)
    throw new GatewayError('not_found', 'The transparency log has no checkpoint, because nothing was logged yet.');
  const cosigned = (await log.heads.cosignatures(tenant)).map(({ witness, size, note }) => ({ witness, size, note }));
  const [log_key, ...former] = keysOfLog(await log.signer(tenant)).map(verifierKey);
  return { body: { log_key, ...(former.length > 0 && { former_log_keys: former }), checkpoint, cosigned } };
};

export const logConsistency: Operation = async (call) => {
  const [from, to] = [sizeOf(call, 'from'), sizeOf(call, 'to')];
  const proof = await logOf(call).consistency(call.principal.tenant, from, to);
  if (!proof) {
    throw invalidRequest(
      `There is no proof from ${from} to ${to} leaves; from is 1 or more, and to is at least from and at most the size of the newest checkpoint.`,
    );
  }
  return { body: { from, to, proof: proof.map((hash) => hash.toString('base64')) } };
};

export const logTile: Operation = async (call) => {
  const { path = '' } = call.query;
  const tile = tileOf(path);
  if (!tile) {
    throw invalidRequest(
      `path is ${JSON.stringify(path)}; it must be a path of tlog-tiles such as tile/0/000.p/3 or tile/entries/000.`,
    );
  }
  const bytes = await logOf(call).tile(call.principal.tenant, tile);
  if (!bytes) throw notFound({ noun: 'tile' }, path);
  return { body: { path, bytes: bytes.toString('base64') } };
};

const cosignatureBody = z.strictObject({ note: z.string().max(16_384) });

/** Accepts a cosigned checkpoint of this log from a configured witness. */
export const addCosignature: Operation = async (call) => {
  const log = logOf(call);
  const { tenant } = call.principal;
  const { note } = parseBySchema(cosignatureBody, call.body());
  const opened = openCheckpoint(note, keysOfLog(await log.signer(tenant)));
  if (typeof opened === 'string') throw invalidRequest(`The note was not accepted: ${opened}.`);
  const keys = log.witnesses(call.snapshot.configuration);
  const found = keys.flatMap((key) => {
    const seconds = cosignedAt(opened, key);
    return seconds === undefined ? [] : [{ key, seconds }];
  });
  const [own] = found;
  if (!own) {
    throw new GatewayError(
      'forbidden',
      'The note carries no valid cosignature of a witness in evidence.log.witnesses. Send the checkpoint with the cosignature of one of them.',
    );
  }
  if (!(await log.holds(tenant, opened)))
    throw invalidRequest(
      'The root hash of the note is not that of this log at this size. Send a checkpoint of this log, unchanged.',
    );
  for (const { key } of found) await log.heads.keepCosignature(tenant, { witness: key.name, size: opened.size, note });
  const at = new Date(own.seconds * 1000).toISOString();
  return { status: 201, body: { witness: own.key.name, size: opened.size, at } };
};

function sizeOf({ query }: Call, name: 'from' | 'to'): number {
  const text = query[name] ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalidRequest(`${name} is ${JSON.stringify(text)}; it must be a number of leaves, 1 or more.`);
}
