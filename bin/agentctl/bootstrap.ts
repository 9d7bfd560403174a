/** `bootstrap`: registers the admin token of a deployment on AWS by storing its digest. */
import { addCommand, type Parent } from './command.ts';
import { exitCodes, Failure } from './failure.ts';

export function addBootstrap(parent: Parent): void {
  addCommand<{ readonly name: string }>(parent, {
    usage: 'bootstrap',
    summary: 'Store the digest of the admin token of an AWS deployment; repeat it after you replace the token',
    examples: ['bootstrap', 'bootstrap --name my-gateway'],
    options: (command) => command.option('--name <name>', 'name of the deployment', 'agent-governance'),
    run: async ({ out, globals }, { name }) => {
      const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
      const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
      const { bootstrapAdminToken } = await import('#adapters/aws/dynamodb/bootstrap.ts');
      const { clientBounds } = await import('#adapters/aws/client-bounds.ts');
      const db = new DynamoDBClient(clientBounds());
      const secrets = new SecretsManagerClient(clientBounds());
      const stored = await bootstrapAdminToken({ db, secrets, name }).catch((cause: Error) => {
        const hint = 'AWS credentials and AWS_REGION come from the environment.';
        throw new Failure(exitCodes.unreachable, cause.message, { hint, cause });
      });
      if (globals.json) out.json(JSON.stringify(stored));
      else out.line(`stored the digest of the admin token of ${name}; the token works within 5 seconds`);
      return 'positive';
    },
  });
}
