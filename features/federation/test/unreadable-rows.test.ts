/** A chain with a row that is not an entry, in the reports of a data plane. */
import { keptGateway } from '../../../test/support/kept-gateway.ts';
import { keys } from '../../../test/support/ports.ts';
import { TableAttacker } from '../../../test/support/table-attacker.ts';
import { useStarted } from '../../../test/support/use-started.ts';
import { ReportedChains } from '../chains.ts';

const gateway = useStarted(() => keptGateway({ extra: '' }), 'test');

async function readsTwice(session: string): Promise<void> {
  for (const target of ['acme/a', 'acme/b']) {
    const action = { protocol: 'git', tool: 'scm.get_file_contents', target, capability: 'read' };
    const body = { ...action, actor: { agent: 'writer', session } };
    await gateway.call('POST', '/admin/v1/test-action', keys.agent, body);
  }
}

test.each([
  ['contains no JSON', 'not JSON', 'the entry cannot be read: its row contains no JSON'],
  ['holds another object', '{"kind":"chat","envelope_id":"e"}', 'the field version is missing'],
  ['holds null', 'null', 'this is not an entry: an object was expected'],
])(
  '[evidence.readers-survive] with a row that %s, its chain is reported as broken, and the others are still reported',
  async (_name, entry, reason) => {
    for (const session of ['s', 't']) await readsTwice(session);
    await gateway.projected();
    const second = { chain: 'default#s', position: '2'.padStart(12, '0') };
    await new TableAttacker(gateway.store).set('evidence', second, { entry });

    const { evidence } = gateway.ports();
    const wanted = ['s', 't'].map((session_id) => ({ tenant: 'default', session_id, index: 2 }));
    const heads = await new ReportedChains().changed({ evidence, expiresBefore: undefined }, ['default'], wanted);
    const [broken, whole] = ['s', 't'].map((id) => heads.find(({ session_id }) => session_id === id));
    expect(broken?.broken).toEqual({ index: 2, reason });
    expect(whole).toMatchObject({ at: { index: 2 } });
    expect(whole).not.toHaveProperty('broken');
  },
);
