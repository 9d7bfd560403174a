/**
 * `npm run differential:shell -- [--seed N] [--lines N] [--profiles]`: runs allowed lines until it is stopped or has
 * run the requested number, and prints each line that did more than predicted.
 */
import { parseArgs } from 'node:util';
import { compare } from './compare.ts';
import { isolation, Lab } from './lab.ts';
import { ProfileLines } from './profile-lines.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, lines: { type: 'string' }, profiles: { type: 'boolean' } },
});
const given = isolation();
if (!given) throw new Error('Lines run only on Linux, as root or where `unshare -rn` works: neither is the case here.');
const lab = new Lab(given);
process.stdout.write(`${given.says}, under ${lab.worlds.join(', ')}\n`);
const round = 1000;
const wanted = values.lines === undefined ? Number.POSITIVE_INFINITY : Number(values.lines);
let found = 0;
for (let seed = Number(values.seed ?? 1), done = 0; done < wanted; seed++, done += round) {
  const { decided, allowed, findings } = await compare(
    lab,
    seed,
    Math.min(round, wanted - done),
    values.profiles ? new ProfileLines(seed) : undefined,
  );
  for (const each of findings) process.stdout.write(`${JSON.stringify(each)}\n`);
  found += findings.length;
  process.stdout.write(`seed ${seed}: ${decided} decided, ${allowed} allowed and run, ${findings.length} findings\n`);
}
await lab.close();
process.exitCode = found > 0 ? 1 : 0;
