/** The stacks as templates, with the context of `cdk.json` and empty bundles, so that no build is needed. */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { functions } from '#features/functions.ts';
import { buildGateway } from '../../lib/gateway.ts';
import type { Loose } from '../support/loose.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties: Loose;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: string | string[];
}
export type Resources = Record<string, Resource>;

/** A template follows from its context alone, so all files of a run share what the first of them synthesized. */
export function synthesize(context: Record<string, unknown> = {}) {
  const folder = join(process.env.TESTS_TMPDIR!, 'templates');
  const file = join(folder, `${createHash('sha256').update(JSON.stringify(context)).digest('hex')}.json`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    // Another worker may write it at the same time: it reads a whole file or none.
    const own = `${file}.${process.pid}`;
    writeFileSync(own, JSON.stringify(templatesOf(context)));
    renameSync(own, file);
  }
  const kept = JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof templatesOf>;
  const stacks = Object.fromEntries(
    Object.entries(kept).map(([name, template]) => [name, Template.fromJSON(template)]),
  );
  return {
    stores: stacks.stores!,
    services: Template.fromJSON(together(kept)),
    watch: stacks.watch!,
    edge: stacks.edge,
    streaming: stacks.streaming,
    /** Every stack as it is deployed, by the name of its part. */
    stacks,
  };
}

type Json = Record<string, Loose>;

function templatesOf(context: Record<string, unknown>): Readonly<Record<string, Json>> {
  const { settings: _, ...stacks } = buildGateway(emptyApp(context).app);
  return Object.fromEntries(
    Object.entries(stacks).flatMap(([name, stack]) => (stack ? [[name, Template.fromStack(stack).toJSON()]] : [])),
  );
}

/** The services with the stacks that serve them as one template, where a reference to an output is the value of the output. */
function together({ services, surfaces, iam, endpoints }: Readonly<Record<string, Json>>): Json {
  const parts = [services!, surfaces!, ...(iam ? [iam] : []), ...(endpoints ? [endpoints] : [])];
  const of = (section: string): Json => Object.assign({}, ...parts.map((part) => part[section] ?? {}));
  const outputs = of('Outputs');
  const resolved = (_: string, value: Loose): Loose => {
    const { StackName, OutputName } = value?.['Fn::GetStackOutput'] ?? {};
    return /-stores$/.test(StackName ?? '-stores') ? value : outputs[OutputName].Value;
  };
  return JSON.parse(JSON.stringify({ Resources: of('Resources'), Outputs: outputs }, resolved)) as Json;
}

/** The root of an app with a context, for what reads the context and synthesizes nothing. */
export const appNode = (context: Record<string, unknown> = {}) =>
  new App({ context, outdir: join(process.env.TESTS_TMPDIR!, 'templates', 'nothing') }).node;

/** An app before anything is in it, whose templates the rules of cdk-nag and CloudFormation judge when it is synthesized. */
export function judgedApp(context: Record<string, unknown> = {}): App {
  const { app } = emptyApp(context, {});
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}

/** Where each construct was made, for those who debug it: a fifth of the time. */
const untraced = { 'aws:cdk:disable-creation-stack-traces': true };

/** What explains templates to people, or judges them, takes more time than the templates. */
const templatesAlone: AppProps = { stackTraces: false, treeMetadata: false, builtinCloudFormationValidation: false };

/** An app before anything is in it. */
export function emptyApp(context: Record<string, unknown> = {}, props = templatesAlone) {
  const scratch = mkdtempSync(join(tmpdir(), 'gateway-synth-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  for (const name of Object.keys(functions)) {
    mkdirSync(join(scratch, 'bundles', name), { recursive: true });
    writeFileSync(join(scratch, 'bundles', name, 'index.mjs'), 'export const handler = async () => ({});\n');
  }
  mkdirSync(join(scratch, 'bundles', 'console'));
  writeFileSync(join(scratch, 'bundles', 'console', 'index.html'), '<!doctype html>\n');
  mkdirSync(join(scratch, 'bundles', 'plane'));
  copyFileSync('lib/streaming/Dockerfile', join(scratch, 'bundles', 'plane', 'Dockerfile'));
  const { context: flags } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
  const outdir = join(scratch, 'out');
  const app = new App({
    ...props,
    analyticsReporting: false,
    outdir,
    context: { ...flags, ...untraced, bundles: join(scratch, 'bundles'), ...context },
  });
  return { app, outdir };
}

/** Resources of one type by logical id. */
export const ofType = (template: Template, type: string): Resources => template.findResources(type) as Resources;

/** Everything that is one resource away: `Ref`, `Fn::GetAtt` and imports, written as text. */
export const reference = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const [kind, argument] = Object.entries(value as Record<string, unknown>)[0] ?? [];
  if (kind === 'Fn::GetStackOutput') {
    const { StackName, OutputName } = argument as Record<string, string>;
    return `{${StackName}:${OutputName}}`;
  }
  if (kind === 'Fn::Join') return ((argument as [string, unknown[]])[1] ?? []).map(reference).join('');
  if (kind === 'Fn::GetAtt') return `{${(argument as string[]).join('.')}}`;
  return `{${String(argument).replace('AWS::', '')}}`;
};

/** The role a function runs under. */
export function roleOf(services: Template, name: string): Resource {
  const roles = Object.values(ofType(services, 'AWS::IAM::Role'));
  const named = `agent-governance-${name}-{Region}`;
  const found = roles.find(({ Properties: { RoleName } }) => RoleName && reference(RoleName) === named);
  if (!found) throw new Error(`no role ${named} in the template`);
  return found;
}

/** Logical id of the function that runs under a physical name. */
export function functionId(services: Template, name: string): string {
  const found = Object.entries(ofType(services, 'AWS::Lambda::Function')).find(
    ([, { Properties }]) => Properties.FunctionName === `agent-governance-${name}`,
  );
  if (!found) throw new Error(`no function agent-governance-${name} in the template`);
  return found[0];
}

/** How a template refers to what callers use of a function: its alias. */
export function liveReference(services: Template, name: string): string {
  const fn = functionId(services, name);
  const found = Object.entries(ofType(services, 'AWS::Lambda::Alias')).find(
    ([, { Properties }]) => reference(Properties.FunctionName) === `{${fn}}`,
  );
  if (!found) throw new Error(`no alias of ${name} in the template`);
  return `{${found[0]}}`;
}
