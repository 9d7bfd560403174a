/** Uploaded modules, and parts that `require_signed` refuses. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createHandler } from '#lambdas/alerts/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { configuration, keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { built, filter } from '../unit/wasm/wat.ts';

/** Uploaded WASM modules: storage, hostile bodies, and configurations that name a digest. */
describe('uploads', () => {
  const adminToken = 'admin-token-1';
  const guard = readFileSync('plugins/keyword-guard.wasm');
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  const gateway = useGateway({}, 'test');
  let { call } = gateway;
  beforeEach(() => {
    call = gateway.call;
  });

  const upload = (bytes: Uint8Array, digest = sha256(bytes), key = adminToken) =>
    call('PUT', `/admin/v1/supply-chain/modules/${digest}`, {
      key,
      body: { name: 'guard', wasm: Buffer.from(bytes).toString('base64') },
    });
  const acts = async () => (await call('GET', '/admin/v1/supply-chain', { key: adminToken })).body.acts;

  test('[wasm.abi] a module is stored under its digest and can be uploaded twice, and the upload is recorded in evidence', async () => {
    const digest = sha256(guard);
    for (const _ of [1, 2]) {
      const { status, body } = await upload(guard);
      expect([status, body]).toEqual([201, { sha256: digest, size: guard.length, evidence_hash: expect.any(String) }]);
    }
    expect(Buffer.from((await gateway.ports.objects.get(digest))!)).toEqual(guard);
    expect((await acts())[0]).toMatchObject({ act: 'upload', name: 'guard', sha256: digest, size: guard.length });
  });

  const hex = (text: string) => async () => Buffer.from(text, 'hex');
  const hostile: readonly (readonly [string, () => Promise<Uint8Array>, string])[] = [
    ['a truncated module', async () => guard.subarray(0, 200), 'corrupt'],
    ['a script', async () => Buffer.from('#!/bin/sh\nrm -rf /\n'), 'corrupt'],
    ['the first eight bytes alone', async () => guard.subarray(0, 8), 'alloc is not exported'],
    ['a section that says it is larger than the file', hex('0061736d0100000001ffffffff0f'), 'corrupt'],
    [
      'a module that imports a function',
      hex('0061736d01000000010401600000020c01036e6574047365656e0000'),
      'has imports',
    ],
    [
      'a start function',
      () => built(filter({ memory: '(memory (export "memory") 1 16) (func $go) (start $go)' })),
      'start function',
    ],
    [
      'a memory of 125 MiB',
      () => built(filter({ memory: '(memory (export "memory") 1 2000)' })),
      'maximum of 2000 pages',
    ],
    [
      'a memory without an end',
      () => built(filter({ memory: '(memory (export "memory") 1)' })),
      'without a declared maximum',
    ],
    ['a module without exports', () => built('(module)'), 'alloc is not exported'],
  ];

  test.each(hostile)(
    '[wasm.abi] %s is refused and not stored, and the refusal is recorded in evidence',
    async (_what, make, why) => {
      const bytes = await make();
      const { status, body } = await upload(bytes);
      expect([status, body.error.type, body.error.message]).toEqual([
        400,
        'invalid_request',
        expect.stringContaining(why),
      ]);
      expect(await gateway.ports.objects.get(sha256(bytes))).toBeUndefined();
      expect(await acts()).toEqual([
        expect.objectContaining({ act: 'refuse', name: 'guard', reason: 'abi_mismatch', sha256: sha256(bytes) }),
      ]);
    },
  );

  test('[wasm.abi] bytes that do not match the digest are refused before they are compiled', async () => {
    const compiled = jest.fn();
    call = caller({ ...gateway.ports, compileModule: compiled } as unknown as Parameters<typeof caller>[0]);
    const { status, body } = await upload(guard, 'a'.repeat(64));
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(sha256(guard))]);
    expect(compiled).not.toHaveBeenCalled();
    expect((await acts())[0]).toMatchObject({ act: 'refuse', reason: 'digest_mismatch', sha256: 'a'.repeat(64) });
  });

  test.each<[string, string, object]>([
    ['a path that is not a digest', 'latest', { name: 'guard', wasm: guard.toString('base64') }],
    ['a digest in upper case', 'A'.repeat(64), { name: 'guard', wasm: guard.toString('base64') }],
    ['text that is not base 64', 'a'.repeat(64), { name: 'guard', wasm: '%%%%' }],
    ['no module', 'a'.repeat(64), { name: 'guard' }],
    ['a name of two lines', 'a'.repeat(64), { name: 'a\nb', wasm: guard.toString('base64') }],
  ])('[wasm.abi] %s is 400', async (_what, digest, body) => {
    const answer = await call('PUT', `/admin/v1/supply-chain/modules/${digest}`, { key: adminToken, body });
    expect([answer.status, answer.body.error.type]).toEqual([400, 'invalid_request']);
  });

  test('[wasm.abi] a module several megabytes in size is accepted', async () => {
    // A custom section, which any tool may add.
    const name = Buffer.from([1, 0x78]);
    const size = 4 * 1024 * 1024;
    const leb: number[] = [];
    for (let rest = size + name.length; rest > 0; rest >>>= 7) leb.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    const large = Buffer.concat([guard, Buffer.from([0, ...leb]), name, Buffer.alloc(size)]);
    expect((await upload(large)).status).toBe(201);
  });

  test.each(Object.entries(keys))(
    '[wasm.abi] the key %s, which lacks platform rights, cannot upload',
    async (_name, key) => {
      expect((await upload(guard, sha256(guard), key)).status).toBe(403);
      expect(await gateway.ports.objects.get(sha256(guard))).toBeUndefined();
    },
  );

  test('[wasm.abi] a configuration takes effect if the module exists, and is refused otherwise', async () => {
    const policy = `policies: { input: [{ name: guard, type: wasm, action: block, path: guard.wasm, sha256: ${sha256(guard)} }] }`;
    const put = () =>
      call('PUT', '/admin/v1/config', {
        key: adminToken,
        raw: `${configuration()}\n${policy}\n`,
        headers: { 'content-type': 'application/yaml' },
      });
    const refused = await put();
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining('policies.input[0]')]);
    expect((await call('GET', '/admin/v1/config', { key: adminToken })).body.version).toBe(1);
    await upload(guard);
    expect((await put()).status).toBe(201);
  });
});

/**
 * Parts that `require_signed` refuses, through the handlers: evidence of each part, shown by GET supply-chain, and an
 * alert.
 */
describe('unsigned parts', () => {
  const key = 'admin-token-1';
  let evaluate: ReturnType<typeof createHandler>;
  const gateway = useGateway({}, 'test');
  const { call } = gateway;
  beforeEach(() => {
    evaluate = createHandler(gateway.ports);
  });

  const put = (text: string) =>
    call('PUT', '/admin/v1/config', { key, raw: text, headers: { 'content-type': 'application/yaml' } });
  const unsigned = configuration('', '', '{ pack: readonly, require_signed: true }');
  const acts = async () => (await call('GET', '/admin/v1/supply-chain', { key })).body.acts;
  const open = async () => (await call('GET', '/admin/v1/alerts?state=active', { key })).body.alerts;
  const minutes = async (times: number) => {
    for (let nth = 0; nth < times; nth++) {
      gateway.pass(60);
      await evaluate();
    }
  };

  test('[supply-chain.require-signed] an unsigned pack is refused, and the refusal is recorded in evidence', async () => {
    const before = (await call('GET', '/admin/v1/config', { key })).body.version;
    const refused = await put(unsigned);
    expect(refused).toMatchObject({ status: 400, body: { error: { type: 'invalid_request' } } });
    expect(refused.body.error.message).toContain('tool_policies.pack');
    expect(await acts()).toEqual([
      expect.objectContaining({
        act: 'refuse',
        name: 'readonly',
        kind: 'policy_pack',
        reason: 'unsigned',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        message: expect.stringContaining('no signed index'),
      }),
    ]);
    expect((await call('GET', '/admin/v1/config', { key })).body.version).toBe(before);
    expect((await call('GET', '/admin/v1/audit/verify', { key })).body).toMatchObject({ valid: true });
  });

  test('[supply-chain.require-signed] other refusals, and the same pack when no signature is required, create no such entry', async () => {
    expect((await put(configuration('unknown_key: 1'))).status).toBe(400);
    expect((await put(configuration('', '', '{ pack: readonly }'))).status).toBe(201);
    expect(await acts()).toEqual([]);
  });

  test('[alert.thresholds] refusals open one alert for the tenant, which resolves after ten minutes', async () => {
    await minutes(1);
    expect(await open()).toEqual([]);
    await put(unsigned);
    await put(unsigned);
    await minutes(2);
    expect(await open()).toEqual([
      expect.objectContaining({
        type: 'system',
        dimension: 'tenant:default',
        metric: 'refused_plugins',
        value: 2,
        severity: 'warning',
        message: expect.stringContaining('"readonly" (unsigned)'),
      }),
    ]);
    await minutes(14);
    expect(await open()).toEqual([]);
  });

  test('[alert.thresholds] a refusal before midnight still counts after midnight', async () => {
    const day = 86_400_000;
    gateway.pass((day - (gateway.ports.clock.now() % day)) / 1000 - 30);
    await evaluate();
    await put(unsigned);
    await minutes(1);
    expect(await open()).toMatchObject([{ metric: 'refused_plugins', value: 1 }]);
  });
});
