/** Catalog files of shell programs: allowed members, and expansion of short forms. */
import { parse } from 'yaml';
import { commandFileSchema, familyFileSchema } from '#core/contracts/shell-programs.ts';

const commands = (text: string) => commandFileSchema.parse(parse(text, { merge: true })).programs;

test('[effects.profiles] abbreviated entries in a file are expanded', () => {
  const { shop } = commands(`
shared:
  reads: &reads { does: read, options: &options { flags: &flags -a --all } }
programs:
  shop:
    syntax: pflag
    options: { flags: -q }
    groups: { box: { options: { flags: -f }, commands: { '(open, close)': *reads } } }
    commands:
      (pod, big box) (list, show-*), version:
        { <<: *reads, options: { <<: *options, flags: [*flags, -l] }, secrets: '/^x/i' }
`);
  expect(shop).toEqual({
    syntax: 'pflag',
    flags: '-q',
    groups: { box: { flags: '-f' } },
    commands: {
      'pod list, pod show-*, big box list, big box show-*, version': {
        does: 'read',
        flags: '-a --all -l',
        secrets: /^x/i,
      },
      'box open, box close': { does: 'read', flags: '-a --all' },
    },
  });
});

test.each([
  ['{ x: { syntax: pflag, commands: { y: { does: look } } } }', 'does'],
  ['{ x: { syntax: pflag, commands: { y: { does: read, flags: -a } } } }', 'flags'],
  ['{ x: { syntax: pflag, commands: { y: { does: read, operands: [thing] } } } }', 'operands'],
  ['{ x: { syntax: pflag, commands: { y: { does: read, options: { values: { thing: -a } } } } } }', 'thing'],
  ['{ x: { syntax: pflag, commands: { y: { does: read, options: { flags: "-a  -b" } } } } }', 'separated by blanks'],
])('[effects.profiles] %s is refused', (programs, message) => {
  expect(() => commands(`programs: ${programs}`)).toThrow(message);
  expect(() => familyFileSchema.parse(parse(`title: X\nprograms: ${programs}`))).toThrow();
});
