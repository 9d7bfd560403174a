/** The published form of a policy pack. */
import { parsePack } from '#core/policy/rules/pack.ts';
import { packBytes, readPackBytes } from '../pack-bytes.ts';

test('[supply-chain.envelope] published pack bytes are accepted only in canonical form', () => {
  const rule = { protocol: 'git', tool: 'scm.get_*', decision: 'allow' };
  const pack = { name: 'own', default_decision: 'review', rules: [rule] };
  const bytes = packBytes(pack, 'own');
  expect(readPackBytes(bytes, 'own')).toEqual(parsePack(pack, 'own'));
  expect(() => readPackBytes(Buffer.from(`${bytes} `), 'own')).toThrow('own is not in canonical form');
  expect(() => readPackBytes(Buffer.from('name: own'), 'own')).toThrow('own is not JSON');
});
