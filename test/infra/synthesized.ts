/** The stacks as templates, with the context of `cdk.json` and empty bundles, so that no build is needed. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** Folder shared by a run's test files and removed after the run. */
const templates = join(process.env.TESTS_TMPDIR!, 'templates');
mkdirSync(templates, { recursive: true });

/**
 * Synthesizes the templates of a context. A template depends only on its context, so all files of a run share the
 * result of the first.
 */
export function synthesize(context: Record<string, unknown> = {}) {
  const file = join(templates, `${createHash('sha256').update(JSON.stringify(context)).digest('hex')}.json`);
  if (!existsSync(file)) {
    // Another worker may write the file at the same time: readers see a complete file or none.
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
    /** Deployed stacks, keyed by part name. */
    stacks,
  };
}

type Json = Record<string, Loose>;

function templatesOf(context: Record<string, unknown>): Readonly<Record<string, Json>> {
  const { settings: _, ...stacks } = buildGateway(emptyApp(context));
  return Object.fromEntries(
    Object.entries(stacks).flatMap(([name, stack]) => (stack ? [[name, Template.fromStack(stack).toJSON()]] : [])),
  );
}

/**
 * Merges the services and the stacks they depend on into one template, in which a reference to an output is replaced by
 * its value.
 */
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

/** Returns the root of an app with a context, for code that reads the context and synthesizes nothing. */
export const appNode = (context: Record<string, unknown> = {}) =>
  new App({ context, outdir: join(templates, 'nothing') }).node;

/**
 * Creates an empty app whose templates are checked during synthesis by cdk-nag and, if requested, by CloudFormation's
 * rules.
 */
export function judgedApp(context: Record<string, unknown> = {}, builtinCloudFormationValidation = false): App {
  const app = emptyApp(context, { ...templatesAlone, builtinCloudFormationValidation });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}

/** Settings that disable slow steps with no effect on templates: creation stack traces, and copies of assets. */
const unneeded = { 'aws:cdk:disable-creation-stack-traces': true, 'aws:cdk:disable-asset-staging': true };

/**
 * Settings that leave out the metadata which explains and checks templates: generating it takes longer than generating
 * the templates.
 */
const templatesAlone: AppProps = { stackTraces: false, treeMetadata: false, builtinCloudFormationValidation: false };

/** Creates an empty app. */
export function emptyApp(context: Record<string, unknown> = {}, props = templatesAlone): App {
  const { context: flags } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
  return new App({
    ...props,
    analyticsReporting: false,
    context: { ...flags, ...unneeded, bundles: emptyBundles(), ...context },
    outdir: mkdtempSync(join(templates, 'out-')),
  });
}

/** Returns the folder used in place of a build's output, created once by each worker. */
function emptyBundles(): string {
  const folder = join(templates, `bundles-${process.pid}`);
  const has = (path: string, text: string) => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  if (existsSync(folder)) return folder;
  for (const name of Object.keys(functions)) has(`${name}/index.mjs`, 'export const handler = async () => ({});\n');
  has('console/index.html', '<!doctype html>\n');
  for (const file of globSync('features/*/container/Dockerfile'))
    has(`${file.split('/')[1]}/Dockerfile`, readFileSync(file, 'utf8'));
  return folder;
}

/** Returns the resources of one type by logical id. */
export const ofType = (template: Template, type: string): Resources => template.findResources(type) as Resources;

/** Returns all direct references in a value as text: `Ref`, `Fn::GetAtt` and imports. */
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

/** Returns the role that a function runs under. */
export function roleOf(services: Template, name: string): Resource {
  const roles = Object.values(ofType(services, 'AWS::IAM::Role'));
  const named = `agent-governance-${name}-{Region}`;
  const found = roles.find(({ Properties: { RoleName } }) => RoleName && reference(RoleName) === named);
  if (!found) throw new Error(`no role ${named} in the template`);
  return found;
}

/** Returns the logical id of the function with this physical name. */
export function functionId(services: Template, name: string): string {
  const found = Object.entries(ofType(services, 'AWS::Lambda::Function')).find(
    ([, { Properties }]) => Properties.FunctionName === `agent-governance-${name}`,
  );
  if (!found) throw new Error(`no function agent-governance-${name} in the template`);
  return found[0];
}

/** Returns the reference to a function's alias, which callers use. */
export function liveReference(services: Template, name: string): string {
  const fn = functionId(services, name);
  const found = Object.entries(ofType(services, 'AWS::Lambda::Alias')).find(
    ([, { Properties }]) => reference(Properties.FunctionName) === `{${fn}}`,
  );
  if (!found) throw new Error(`no alias of ${name} in the template`);
  return `{${found[0]}}`;
}
