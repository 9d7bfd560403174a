/** The embedded store against a DynamoDB-compatible server of others, by operations that a seed makes up. */
import { randomInt } from 'node:crypto';
import { referenceBinary, startReference } from '../support/dynoxide.ts';
import { runs } from '../support/extent.ts';
import { compareStores } from '../support/store-difference.ts';

const binary = referenceBinary();
/** A seed of one's own repeats a run: `STORE_SEED=7 npx jest test/contract/embedded-difference.test.ts`. */
const first = Number(process.env.STORE_SEED ?? randomInt(1_000_000));
const seeds = runs(10, 3);
const operations = 2_000;
const maxMs = 150_000;

if (!binary)
  process.stderr.write(
    `NOT TESTED: the embedded store was not compared, because no reference server exists for ${process.platform}-${process.arch}.\n`,
  );

(binary ? test : test.skip)(
  '[store.by-difference] thousands of operations are answered as by another implementation, and leave the same',
  async () => {
    process.stderr.write(`Seeds ${first} to ${first + seeds - 1}.\n`);
    const reference = await startReference(binary!);
    const until = Date.now() + maxMs;
    const seen = new Set<string>();
    try {
      for (let seed = first; seed < first + seeds; seed++) {
        const compared = await compareStores(reference, { seed, operations, goesOn: () => Date.now() < until });
        expect({ seed, differences: compared.differences.slice(0, 3) }).toEqual({ seed, differences: [] });
        for (const kind of compared.kinds.keys()) seen.add(kind);
      }
    } finally {
      reference.stop();
    }
    // A generator that makes up nothing but errors would compare nothing.
    expect([...seen]).toEqual(expect.arrayContaining(answers));
  },
  maxMs + 30_000,
);

const answers = [
  'PutItem ok',
  'PutItem ConditionalCheckFailedException',
  'UpdateItem ok',
  'UpdateItem ConditionalCheckFailedException',
  'UpdateItem ValidationException',
  'DeleteItem ok',
  'GetItem ok',
  'GetItem ResourceNotFoundException',
  'Query ok',
  'Query ValidationException',
  'Scan ok',
  'BatchGetItem ok',
  'BatchWriteItem ok',
  'TransactWriteItems ok',
  'TransactWriteItems TransactionCanceledException',
];
