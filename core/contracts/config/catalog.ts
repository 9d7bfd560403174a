/** A deployment's additions to the catalog. */
import * as z from 'zod';
import type { Role } from '../shell-programs.ts';

const ownNetwork = (description: string) =>
  z.array(z.string().min(1).max(253)).max(200).default([]).meta({ description });

const ownNetworks = z
  .strictObject({
    private: ownNetwork(
      'Addresses, ranges such as `203.0.113.0/24` and host names such as `*.corp.example` of private networks. Executors connect to them only with `allow_private`.',
    ),
    metadata: ownNetwork('Addresses, ranges and host names of metadata services, which hand out credentials.'),
    reserved: ownNetwork('Addresses, ranges and host names that executors never connect to.'),
  })
  .prefault({})
  .meta({
    description:
      'Networks of the deployment. If the catalog lists the same address, the stricter network applies, so an entry never makes an address public.',
  });

const option = '(?:-[A-Za-z0-9?]|--[A-Za-z0-9][A-Za-z0-9_.-]*)';
const optionNames = z
  .string()
  .max(4_000)
  .regex(new RegExp(`^${option}(?:\\s+${option})*$`), 'names of options, separated by blanks: -n --namespace');

/** Roles that values in a deployment's own programs may have. */
const valueRoles = ['word', 'number', 'name', 'read', 'write', 'source', 'object'] as const satisfies readonly Role[];
const operandRoles = ['word', 'name', 'source', 'object'] as const satisfies readonly Role[];

const ownOptions = z.strictObject({
  flags: optionNames.optional().meta({ description: 'Options without a value.' }),
  values: z
    .union([optionNames, z.partialRecord(z.enum(valueRoles), optionNames)])
    .optional()
    .meta({
      description:
        'Options with a value, by the role of the value: `read` and `write` are files, `source` is a file or an address, `object` what the command acts on; `number`, `name` and `word` are not opened. Without roles, values are words.',
    }),
  refused: optionNames.optional().meta({ description: 'Options for which a command line is always reviewed.' }),
});

const capabilityOrSecret = z
  .enum(['read', 'write', 'delete', 'execute', 'secret'])
  .meta({ description: 'Effect of the command. `secret`: it reads and prints secrets.' });

const ownCommand = z.strictObject({
  does: capabilityOrSecret,
  says: z.string().min(1).max(60).optional().meta({
    description: 'What it does to its objects, in the third person, for approvals: `restarts`.',
  }),
  target: z.int().min(1).max(8).optional().meta({
    description: 'Number of the operand that names the object, from 1. Other operands are words.',
  }),
  operands: z
    .array(
      z.string().regex(new RegExp(`^(?:${operandRoles.join('|')})[?*+]?$`), 'a role, such as object, word? or read*'),
    )
    .max(8)
    .optional()
    .meta({
      description:
        'Roles of its operands in order, instead of `target`: each occurs once, or with `?` at most once, `*` any number of times, `+` at least once.',
    }),
  kind: z.string().min(1).max(60).optional().meta({ description: 'Kind of its objects: `pod`.' }),
  options: ownOptions.optional().meta({ description: 'Options of this command.' }),
  risk: z.enum(['rights', 'destroys']).optional().meta({
    description: 'For session risk: the command grants rights, or destroys what cannot be restored.',
  }),
});

const commandWords = z
  .string()
  .max(400)
  .regex(/^[A-Za-z0-9][\w:.-]*\*?(?: [A-Za-z0-9][\w:.-]*\*?)*$/, 'the words of a command, separated by one blank');

const ownProgram = z.strictObject({
  options: ownOptions
    .optional()
    .meta({ description: 'Global options of the program, which may come before or after its command.' }),
  scopes: z
    .record(z.string().regex(/^[a-z][a-z0-9_]*$/), optionNames)
    .optional()
    .meta({
      description: 'Options whose values locate the objects, by the parameter in which rules see them: `namespace`.',
    }),
  commands: z
    .record(commandWords, z.union([capabilityOrSecret, ownCommand]))
    .refine((commands) => Object.keys(commands).length > 0, 'at least one command')
    .meta({ description: 'Commands by their words; `describe-*` is a prefix. Others are reviewed.' }),
});

export const catalogSection = z.strictObject({
  secret_files: z.array(z.string().min(1).max(512)).max(200).default([]).meta({
    description:
      'Globs of additional files with keys or credentials, such as `**/vault-*.json`. Guard `secret-files`, session risk and the tool guard treat them like those in the catalog, including in text from servers.',
  }),
  networks: ownNetworks,
  programs: z
    .record(z.string().regex(/^[a-z0-9][a-z0-9._+-]{0,63}$/, 'the name of a program in lower case'), ownProgram)
    .default({})
    .meta({
      description:
        'Programs of the deployment whose first words are a command, such as `shopctl pods delete x`: rules see what a command does and to which object. Programs that the gateway already reads cannot be described here.',
    }),
});

export type OwnProgram = z.infer<typeof ownProgram>;
export type OwnPrograms = Readonly<Record<string, OwnProgram>>;
export type OwnNetworks = z.infer<typeof ownNetworks>;
