/** Schemas of `core/catalog/programs/*.yaml`. Its meaning is described at the types of `shell-programs.ts`. */
import * as z from 'zod';
import { capabilities } from './call-sizes.ts';
import { roles } from './shell-programs.ts';

/** Names separated by blanks, as a text or in lists, so that a list may refer to another. */
const names = z.preprocess(
  (value) => (Array.isArray(value) ? [...new Set(value.flat(10).join(' ').split(' '))].join(' ') : value),
  z.string().regex(/^(?:\S+(?: \S+)*)?$/, 'names separated by blanks'),
);
const byRole = z.partialRecord(z.enum(roles), names);
const options = z.strictObject({
  flags: names.optional(),
  values: byRole.optional(),
  attached: byRole.optional(),
  refused: names.optional(),
  changes: z.partialRecord(z.enum(capabilities), names).optional(),
  open: z.enum(roles).optional(),
});
const operand = z.templateLiteral([z.enum(roles), z.enum(['', '?', '*', '+'])]);
const operands = z.array(operand);
const yes = z.literal(true);
/** `true`, or a pattern that the words of the line must match. */
const when = z.union([
  yes,
  z
    .string()
    .regex(/^\/.+\/i?$/s)
    .transform((text) => new RegExp(text.slice(1, text.lastIndexOf('/')), text.endsWith('i') ? 'i' : '')),
]);

/** Replaces `options` by its members. */
const flat = <T extends { readonly options?: object | undefined }>({ options: given, ...more }: T) => ({
  ...more,
  ...given,
});

const profile = z
  .strictObject({
    does: z.enum(capabilities),
    syntax: z.enum(['permutes', 'stops', 'anywhere', 'words', 'none']).optional(),
    options: options.optional(),
    exact: yes.optional(),
    digits: yes.optional(),
    plus: z.enum(['refused', 'required']).optional(),
    dash: z.literal('output').optional(),
    responseFiles: yes.optional(),
    first: names.optional(),
    bundles: yes.optional(),
    last: names.optional(),
    input: z.literal('script').optional(),
    idle: yes.optional(),
    assigns: yes.optional(),
    verbs: z.partialRecord(z.enum(capabilities), names).optional(),
    alone: z.enum(capabilities).optional(),
    settings: names.optional(),
    operands,
    instead: z.array(z.strictObject({ with: names, operands })).optional(),
    here: z.enum(['names', 'write']).optional(),
    whole: yes.optional(),
    below: z
      .strictObject({
        when: names.optional(),
        namesOnly: names.optional(),
        narrows: names.optional(),
        types: names.optional(),
        reach: z.enum(['everything', 'visible']),
        reveals: names.optional(),
        readsNamed: yes.optional(),
        leavesOut: z.strictObject({ files: names, folders: names }).optional(),
        spoils: names.optional(),
        pairs: yes.optional(),
      })
      .optional(),
    showsNames: z.strictObject({ unless: names.optional() }).optional(),
    contents: z.strictObject({ when: names.optional(), unless: names.optional() }).optional(),
  })
  .transform(flat);

const command = z
  .strictObject({
    does: z.enum(capabilities),
    says: z.string().optional(),
    options: options.optional(),
    operands: operands.optional(),
    stops: yes.optional(),
    kind: z.string().optional(),
    objects: names.optional(),
    prints: z.enum(['values', 'description']).optional(),
    secrets: when.optional(),
    risk: z.partialRecord(z.enum(['rights', 'destroys']), when).optional(),
    plans: yes.optional(),
  })
  .transform(flat);

const commands = z.record(z.string(), command).transform((all) => inFull(all, ''));
const namesByKey = z.record(z.string(), names);

const program = z
  .strictObject({
    syntax: z.enum(['pflag', 'flag', 'anywhere']),
    options: options.optional(),
    scopes: namesByKey.optional(),
    everywhere: namesByKey.optional(),
    groups: z.record(z.string(), z.strictObject({ options, commands: commands.optional() })).optional(),
    objects: names.optional(),
    verbs: z.record(z.string(), command).optional(),
    commands,
    kinds: namesByKey.optional(),
    ownKinds: names.optional(),
  })
  .transform(({ groups, commands: own, ...more }) => {
    const inGroups = Object.entries(groups ?? {});
    return flat({
      ...more,
      ...(groups && { groups: Object.fromEntries(inGroups.map(([group, each]) => [group, each.options])) }),
      commands: Object.assign(own, ...inGroups.map(([group, each]) => inFull(each.commands ?? {}, `${group} `))),
    });
  });

/** Returns the commands with their words in full: `compose (up, start)` as `compose up, compose start`. */
const inFull = <T>(all: Readonly<Record<string, T>>, group: string): Record<string, T> =>
  Object.fromEntries(
    Object.entries(all).map(([words, value]) => [
      commandsIn(words)
        .map((each) => group + each)
        .join(', '),
      value,
    ]),
  );

function commandsIn(words: string): string[] {
  const parts = words.split(/,\s+(?![^(]*\))/);
  return parts.flatMap((part) =>
    part
      .split(/\s+(?![^(]*\))/)
      .map((step) => step.replace(/^\(([^()]*)\)$/, '$1').split(/,\s+/))
      .reduce((before, steps) => before.flatMap((words_) => steps.map((step) => `${words_} ${step}`.trim())), ['']),
  );
}

const family = z.record(z.string(), profile);

/** A family of programs. `shared` holds parts that the programs name by alias. */
export const familyFileSchema = z.strictObject({
  title: z.string().min(1),
  shared: z.unknown().optional(),
  programs: family,
});

/** `git`, whose commands are read in more depth than those of other programs. */
export const gitFileSchema = z.strictObject({
  shared: z.unknown().optional(),
  globals: profile,
  patches: names,
  commands: family,
  unread: family,
});

/** Programs whose first words are a command. */
export const commandFileSchema = z.strictObject({
  shared: z.unknown().optional(),
  programs: z.record(z.string(), program),
});
