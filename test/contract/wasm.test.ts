/** WASM filters in their worker threads: deadlines, isolation, recovery; from source and as bundled for Lambda. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { threads } from '#adapters/system/threads.ts';
import { wasmRunner } from '#adapters/wasm/pool.ts';
import { built, checking, counting, echo, filter, flagging, growing, looping } from '../unit/wasm/wat.ts';

const root = resolve(__dirname, '../..');
const metadata = { tenant_id: 'acme', model: 'mock', provider: 'mock', phase: 'output' } as const;
const guard = 'keyword-guard';

const wats: Record<string, string> = {
  allow: filter(),
  flag: flagging('{"action":"log","message":"no"}'),
  echo,
  counting,
  looping,
  growing,
  initializing: filter({ more: '(func (export "_initialize") (loop $again (br $again)))' }),
  starting: filter({ more: '(func $forever (loop $again (br $again))) (start $forever)' }),
  trap: checking('(unreachable)'),
  hungry: filter({ memory: '(memory (export "memory") 1)' }),
};

async function moduleBytes(name: string): Promise<Uint8Array> {
  if (name === guard) return readFileSync(join(root, 'plugins/keyword-guard.wasm'));
  if (name === 'corrupt') return Buffer.from('not WebAssembly');
  const wat = wats[name];
  if (wat === undefined) throw new Error(`no module ${name} was stored`);
  return built(wat);
}

const runner = wasmRunner({ modules: moduleBytes });
afterAll(() => runner.stop());

const check = (module: string, content: string | Uint8Array = 'hello', timeoutMs = 60_000) =>
  runner.check({
    module,
    content: typeof content === 'string' ? new TextEncoder().encode(content) : content,
    metadata,
    timeoutMs,
  });

describe('[wasm.abi] modules running in worker threads', () => {
  test('modules either allow input or flag it with a reason', async () => {
    expect(await check('allow')).toEqual({ flagged: false });
    expect(await check('flag')).toEqual({ flagged: true, message: 'no' });
  });

  test('concurrent calls each get their own result', async () => {
    const texts = Array.from({ length: 40 }, (_, i) => `call ${i} ${'x'.repeat(i * 100)}`);
    const answers = await Promise.all(texts.map((message) => check('echo', JSON.stringify({ message }))));
    expect(answers.map(({ message }) => message)).toEqual(texts);
  });

  test('each call has its own instance', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => check('counting')));
    expect(answers.some(({ flagged }) => flagged)).toBe(false);
  });

  test.each([
    ['missing', 'missing', 'the WASM module could not be read (no module missing was stored)'],
    ['corrupt', 'corrupt', 'the WASM module is corrupt'],
    ['without a maximum', 'hungry', 'the WASM module is refused: memory without a declared maximum'],
    ['that runs by itself', 'starting', 'the WASM module is refused: it has a start function'],
    ['that traps', 'trap', 'unreachable'],
  ])('a module %s fails only its own check', async (_what, module, expected) => {
    await expect(check(module)).rejects.toThrow(expected);
    expect(await check('allow')).toEqual({ flagged: false });
  });

  test('a module that is temporarily unreadable is read again; an invalid one is not', async () => {
    const asked: string[] = [];
    let up = false;
    const own = wasmRunner({
      modules: async (name) => {
        asked.push(name);
        if (name === 'bad') return new Uint8Array(8);
        if (!up) throw new Error('the store is down');
        return moduleBytes(name);
      },
    });
    const call = (module: string) =>
      own.check({ module, content: new Uint8Array(1), metadata, timeoutMs: 60_000 }).then(
        ({ flagged }) => flagged,
        (fault: Error) => fault.message,
      );
    expect(await call('allow')).toBe('the WASM module could not be read (the store is down)');
    up = true;
    expect(await Promise.all([call('allow'), call('allow')])).toEqual([false, false]);
    expect([await call('bad'), await call('bad')]).toEqual(Array(2).fill(expect.stringContaining('corrupt')));
    expect(asked).toEqual(['allow', 'allow', 'bad']);
    await own.stop();
  });
});

describe('[wasm.abi] a module that never returns', () => {
  test.each(['looping', 'growing', 'initializing'])('by %s is terminated when its time is up', async (module) => {
    await expect(check(module, 'hello', 100)).rejects.toThrow('the WASM module ran longer than 100 ms');
    expect(await check('allow')).toEqual({ flagged: false });
  });

  test('modules that hang on every thread do not block later calls, because the threads are replaced', async () => {
    const looping = Array.from({ length: 5 }, () => check('looping', 'hello', 100));
    const outcomes = await Promise.allSettled([...looping, check('allow'), check('flag')]);
    expect(outcomes.map(({ status }) => status)).toEqual([...Array(5).fill('rejected'), 'fulfilled', 'fulfilled']);
  });
});

describe('the example filter', () => {
  test('matches a build from its current source', async () => {
    const text = readFileSync(join(root, 'plugins/keyword-guard.wat'), 'utf8');
    expect(Buffer.from(await built(text))).toEqual(readFileSync(join(root, 'plugins/keyword-guard.wasm')));
  });

  test.each([
    ['This is CONFIDENTIAL.', true],
    ['confidential', true],
    ['Confidentia', false],
    ['cOnFiDeNtIaL', true],
    ['[onfidential', false],
    ['', false],
    ['nothing of the kind', false],
    [`${'confidentia '.repeat(1000)}confidential`, true],
  ])('%# flags the word regardless of case', async (text, flagged) => {
    const message = flagged ? { message: 'the text contains the word confidential' } : {};
    expect(await check(guard, text)).toEqual({ flagged, ...message });
  });

  test('can handle 12 MB; a filter with too little memory fails, and the pool keeps working', async () => {
    const large = new Uint8Array(12_000_000).fill(0x20);
    large.set(Buffer.from('Confidential'), large.length - 12);
    expect((await check(guard, large, 10_000)).flagged).toBe(true);
    await expect(check('allow', large, 10_000)).rejects.toThrow('alloc points outside of the memory');
    await expect(check(guard, new Uint8Array(70_000_000), 10_000)).rejects.toThrow('alloc returned no memory');
    expect(await check('allow')).toEqual({ flagged: false });
  });
});

describe('threads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-threads-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, text: string): URL => {
    writeFileSync(join(folder, name), text);
    return new URL(`file://${join(folder, name)}`);
  };
  const worker = `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', (call) => {
      if (call === 'end') process.exit(3);
      if (call === 'throw') throw new Error('broken');
      if (call === 'wait') return;
      if (call.answered) {
        parentPort.postMessage('in time');
        Atomics.store(call.answered, 0, 1);
        Atomics.notify(call.answered, 0);
        return;
      }
      parentPort.postMessage(call === 'environment' ? Object.keys(process.env).length : call);
    });
    parentPort.postMessage('ready');`;

  test('threads that exit or fail during a call are replaced', async () => {
    const pool = threads<string, unknown>(file('worker.cjs', worker), 1, { what: 'WASM module' });
    await expect(pool.run('end', 60_000)).rejects.toThrow('the worker for the WASM module exited');
    await expect(pool.run('throw', 60_000)).rejects.toThrow('broken');
    expect(await pool.run('fine', 60_000)).toBe('fine');
    await pool.stop();
  });

  test('get an empty environment', async () => {
    const pool = threads<string, unknown>(file('worker.cjs', worker), 1, { what: 'WASM module' });
    expect(await pool.run('environment', 60_000)).toBe(0);
    await pool.stop();
  });

  test('responses that arrive in time count even if this process was too busy to read them', async () => {
    const pool = threads<unknown, unknown>(file('worker.cjs', worker), 1, { what: 'WASM module' });
    await pool.run('fine', 60_000);
    const answered = new Int32Array(new SharedArrayBuffer(8));
    const call = pool.run({ answered }, 20);
    Atomics.wait(answered, 0, 0);
    Atomics.wait(answered, 1, 0, 40); // the time limit is reached before any event is handled
    expect(await call).toBe('in time');
    await pool.stop();
  });

  test('pending calls fail if threads cannot start, and the threads are restarted', async () => {
    const late = new URL(`file://${join(folder, 'late.cjs')}`);
    const pool = threads<string, unknown>(late, 2, { what: 'WASM module' });
    const calls = await Promise.allSettled([pool.run('a', 60_000), pool.run('b', 60_000), pool.run('c', 60_000)]);
    expect(calls.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    file('late.cjs', worker);
    expect(await pool.run('fine', 60_000)).toBe('fine');
    await pool.stop();
  });

  test('running, pending and later calls fail once threads are stopped', async () => {
    const pool = threads<string, unknown>(file('worker.cjs', worker), 1, { what: 'WASM module' });
    await pool.run('fine', 60_000);
    const calls = Promise.allSettled([pool.run('wait', 60_000), pool.run('fine', 60_000)]);
    await pool.stop();
    const reasons = (await calls).map((call) => (call as PromiseRejectedResult).reason.message);
    expect(reasons).toEqual(Array(2).fill('the workers of the WASM module have been stopped'));
    await expect(pool.run('fine', 60_000)).rejects.toThrow('the workers of the WASM module have been stopped');
  });
});

describe('a separate process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-wasm-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const script = (pool: string) => `
    import { readFile } from 'node:fs/promises';
    import { wasmRunner } from ${JSON.stringify(pool)};
    const before = process.getActiveResourcesInfo().length;
    const runner = wasmRunner({ modules: (name) => readFile(name) });
    const idle = process.getActiveResourcesInfo().length - before;
    const metadata = { tenant_id: 't', model: 'm', provider: 'p', phase: 'input' };
    const content = new TextEncoder().encode('Confidential');
    const module = ${JSON.stringify(join(root, 'plugins/keyword-guard.wasm'))};
    const { flagged } = await runner.check({ module, content, metadata, timeoutMs: 60_000 });
    console.log(JSON.stringify({ idle, flagged }));`;
  /** Runs the file, which exits on its own because idle threads do not keep a process running. */
  const outcome = async (file: string) => {
    const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/node'), [file], {
      env: { PATH: process.env.PATH },
      timeout: 150_000,
    });
    return JSON.parse(stdout);
  };

  test('runs filters from source', async () => {
    writeFileSync(join(folder, 'source.mjs'), script(join(root, 'adapters/wasm/pool.ts')));
    expect(await outcome(join(folder, 'source.mjs'))).toEqual({ idle: 0, flagged: true });
  });

  test('runs filters from a bundle with a separate worker file', async () => {
    await build({
      stdin: { contents: script(join(root, 'adapters/wasm/pool.ts')), resolveDir: root, sourcefile: 'index.mjs' },
      outfile: join(folder, 'index.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      minify: true,
      logLevel: 'error',
    });
    await build({
      entryPoints: [join(root, 'adapters/wasm/worker.ts')],
      outfile: join(folder, 'wasm-worker.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      minify: true,
      logLevel: 'error',
    });
    expect(await outcome(join(folder, 'index.mjs'))).toEqual({ idle: 0, flagged: true });
  });
});
