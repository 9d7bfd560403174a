/** `restore plan`: every table and bucket in the outputs is covered, and wrong files are refused. */
import { tables } from '#features/tables.ts';
import { Home } from '../../../test/unit/agentctl/support.ts';

const home = new Home();
afterAll(() => home.remove());

const stores = {
  ObjectBucketName: 'objects-1',
  ArchiveBucketName: 'archive-1',
  SigningKeyId: 'sign-1',
  SigningKeyId2: 'sign-2',
  VoteKeyId: 'vote-1',
  LogKeyId: 'log-1',
};
const outputs = home.write(
  'outputs.json',
  JSON.stringify({ 'prod-stores': stores, 'prod-services': { AdminApiId: 'admin1', WebSocketApiId: 'ws1' } }),
);
const plan = async (...words: string[]) => {
  const { code, out } = await home.run(['restore', 'plan', '--outputs', outputs, '--json', ...words]);
  expect(code).toBe(0);
  const { steps, ...rest } = JSON.parse(out) as {
    steps: { title: string; commands: string[] }[];
    tables: Record<string, string>;
  };
  return { ...rest, commands: steps.flatMap(({ commands }) => commands) };
};

test('[cli.status] the plan restores every table except those with running work, then streams, expiry and recovery', async () => {
  const { commands, tables: treated } = await plan('--at', '2026-11-22T10:00:00Z');
  expect(Object.keys(treated)).toEqual(Object.keys(tables));
  const restored = commands.filter((command) => command.includes('restore-table-to-point-in-time'));
  expect(restored).toContain(
    'aws dynamodb restore-table-to-point-in-time --restore-date-time 2026-11-22T10:00:00Z --source-table-name prod-evidence --target-table-name restored-evidence',
  );
  const empty = Object.keys(treated).filter((table) => treated[table]!.startsWith('left empty'));
  expect(empty).toEqual(['connections', 'cancellations', 'traces']);
  expect(restored).toHaveLength(Object.keys(tables).length - empty.length);
  expect(commands.filter((command) => command.includes('StreamEnabled=true'))).toHaveLength(3);
  expect(commands.filter((command) => command.includes('update-continuous-backups'))).toHaveLength(restored.length);
});

test('[cli.status] the plan names every key generation, both buckets and how to restore a vault', async () => {
  const { commands } = await plan('--vault', 'nightly', '--to', 'again');
  const deploys = commands.filter((command) => command.startsWith('npx cdk deploy'));
  expect(deploys).toEqual([expect.stringContaining('-c restoring='), expect.not.stringContaining('restoring')]);
  for (const deploy of deploys) {
    expect(deploy).toContain(
      '-c name=again -c formerSigningKeys=arn:aws:kms:<region>:<account>:key/sign-1,arn:aws:kms:<region>:<account>:key/sign-2 ',
    );
    expect(deploy).toContain('key/log-1 -c logKeyOverlap=off');
  }
  expect(commands.filter((command) => /--bucket (objects|archive)-1 /.test(command))).toHaveLength(2);
  expect(commands.find((command) => command.includes('targetTableName=again-evidence'))).toContain(
    '--backup-vault-name nightly',
  );
  const { out } = await home.run(['restore', 'plan', '--outputs', outputs, '--vault', 'nightly']);
  expect(out).toContain('# 1. Stop the callers\naws apigateway update-stage --rest-api-id admin1 ');
  expect(out).not.toContain('ws1');
});

test('[cli.status] other files, a missing time and the first deployment’s own name are refused with the allowed values', async () => {
  const refused = async (file: string, ...words: string[]) => {
    const { code, err } = await home.run(['restore', 'plan', '--outputs', file, ...words]);
    expect(code).toBe(2);
    return err;
  };
  const at = ['--at', '2026-11-22T10:00:00Z'];
  expect(await refused(outputs)).toContain('give --at');
  expect(await refused(outputs, '--at', 'yesterday')).toContain('it must be a time such as');
  expect(await refused(outputs, '--at', '2026 (; id)')).toContain('it must be a time such as');
  expect(await refused(outputs, '--vault', 'v; id')).toContain('it may contain only letters, digits, _ and -');
  expect(await refused(outputs, ...at, '--to', '$(id)')).toContain('it may contain only letters, digits, _ and -');
  expect(await refused(outputs, ...at, '--vault', 'v')).toContain('give --at');
  expect(await refused(outputs, ...at, '--to', 'prod')).toContain('give another name');
  expect(await refused(home.write('other.json', '{}'), ...at)).toContain('no outputs of <name>-stores');
  expect(await refused(home.write('part.json', '{"x-stores":{}}'), ...at)).toContain('lack');
  expect(await refused(home.write('text', 'no'), ...at)).toContain('is not JSON');
});
