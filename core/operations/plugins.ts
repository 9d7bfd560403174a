/** Stores uploaded modules. */
import { actionOf, moduleUpload, oneLine } from '#core/contracts/plugin-act.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { type Call, type Operation, parseBySchema } from './operation.ts';
import { recordAct } from './record.ts';

const digest = /^[0-9a-f]{64}$/;

/**
 * Stores a module under the digest in the path. The digest is checked before compiling, and only a module that follows
 * the ABI is stored [wasm.abi]. Refusals are also recorded in evidence.
 */
export const putModule: Operation = async (call) => {
  const { ports, params } = call;
  const wanted = params.sha256 ?? '';
  if (!digest.test(wanted))
    throw invalidRequest(
      `The path names ${JSON.stringify(wanted.slice(0, 80))}; give the SHA-256 of the module in lower-case hex.`,
    );
  const { name, wasm } = parseBySchema(moduleUpload, call.body());
  const bytes = Buffer.from(wasm, 'base64');
  const found = sha256(bytes);
  if (found !== wanted)
    return recordAndRefuse(
      call,
      { name, sha256: wanted, reason: 'digest_mismatch' },
      `The body has digest ${found}, the path names ${wanted}.`,
    );
  try {
    await ports.compileModule(bytes);
  } catch (fault) {
    return recordAndRefuse(
      call,
      { name, sha256: wanted, reason: 'abi_mismatch' },
      `${name}: ${(fault as Error).message}.`,
    );
  }
  await ports.objects.put(bytes);
  const about = { name, kind: 'wasm_filter', sha256: found, size: bytes.byteLength };
  const evidence_hash = await recordAct(call, actionOf({ act: 'upload' }), about);
  return { status: 201, body: { sha256: found, size: bytes.byteLength, evidence_hash } };
};

async function recordAndRefuse(
  call: Call,
  about: { readonly name: string; readonly sha256: string; readonly reason: string },
  why: string,
): Promise<never> {
  const message = oneLine(why, 500);
  await recordAct(call, actionOf({ act: 'refuse' }), { ...about, kind: 'wasm_filter', message });
  throw invalidRequest(message, { reason: about.reason });
}
