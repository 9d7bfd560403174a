/** The grammar adapter: loaded once, and usable after any input. */
import { sqlGrammar } from '#adapters/sql/grammar.ts';

const nested = (depth: number): string => `select ${'1+'.repeat(depth)}1`;

test('is loaded once', async () => expect(await sqlGrammar()).toBe(await sqlGrammar()));

test('returns the PostgreSQL 18 parse tree', async () => {
  const parse = await sqlGrammar();
  const { version, stmts } = parse('select 1; select 2');
  expect(Math.trunc(version / 10_000)).toBe(18);
  expect(stmts).toHaveLength(2);
});

test('rejects invalid SQL with PostgreSQL’s error message', async () => {
  const parse = await sqlGrammar();
  expect(() => parse('selekt 1')).toThrow('syntax error at or near "selekt"');
});

test('text nested too deeply forces a parser reload, but later text still parses', async () => {
  const parse = await sqlGrammar();
  expect(() => parse(nested(120_000))).toThrow('nests too deeply');
  const answer = async (): Promise<unknown> => {
    for (;;) {
      try {
        return parse('select 1').stmts;
      } catch (thrown) {
        expect((thrown as Error).message).toContain('reloaded');
        await new Promise(setImmediate);
      }
    }
  };
  expect(await answer()).toHaveLength(1);
});

test('after a long text the parser is replaced, and the old one serves until then', async () => {
  const parse = await sqlGrammar();
  parse(`select '${'x'.repeat(64 * 1024)}'`);
  for (let i = 0; i < 100; i++) {
    expect(parse('select 1').stmts).toHaveLength(1);
    await new Promise(setImmediate);
  }
});
