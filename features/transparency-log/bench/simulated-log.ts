/** The log over simulated services, for the simulation of the evidence stream. */
import { generateKeyPairSync } from 'node:crypto';
import type { SimulatedLog } from '../../../bench/of-features.ts';
import { logBucket } from '../adapters/log-bucket.ts';
import { logSignersOf } from '../adapters/log-keys.ts';
import { logTable } from '../adapters/log-table.ts';
import { TransparencyLog } from '../log.ts';

const keyOfLog = logSignersOf({ current: generateKeyPairSync('ed25519').privateKey, former: [] });

export const openSimulatedLog: SimulatedLog['openSimulatedLog'] = ({ client, store, clock, pause, signing }) =>
  new TransparencyLog({
    heads: logTable(store),
    objects: logBucket({ client, bucket: 'b' }),
    signer: async (tenant) => {
      const own = await keyOfLog(tenant);
      const sign = async (bytes: Uint8Array) => {
        await signing();
        return own.sign(bytes);
      };
      return { ...own, sign };
    },
    clock,
    pause,
  });
