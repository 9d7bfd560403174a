/** `az`: listing and showing resources that hold no secrets is a read. */
import { type Command, type CommandProgram, commandsOf } from './command-program.ts';

const reads = {
  does: 'read',
  flags: '-d --show-details --all --include-hidden',
  values: {
    word: '--ids --tag --location -l --resource-type --vnet-name --resource-group-name --server -s --workspace --registry -r --repository --vault-name --id',
  },
} as const satisfies Command;
const prints = { does: 'read', open: 'remote', secrets: true } as const satisfies Command;
const open = { open: 'remote' } as const;

export const az: CommandProgram = {
  syntax: 'anywhere',
  flags: '--only-show-errors --verbose -y --yes --no-wait -h',
  values: { word: '-g --resource-group -n --name --subscription --query', format: '-o --output' },
  refused: '--debug',
  scopes: { group: '-g --resource-group', subscription: '--subscription' },
  objects: '-n --name --ids',
  commands: {
    [`${commandsOf(
      `vm, group, aks, network vnet, network vnet subnet, network nsg, network nsg rule, network public-ip, network lb, network nic, network dns zone, disk, snapshot, image,
      vmss, acr, acr repository, account, resource, provider, storage account, storage container, sql server, sql db, postgres server, postgres flexible-server, mysql server, keyvault,
      keyvault secret, keyvault key, identity, role definition, monitor metrics, monitor activity-log, monitor log-analytics workspace, appservice plan, webapp, functionapp, cosmosdb,
      redis, servicebus namespace, eventhubs namespace, policy assignment, policy definition, tag`,
      'list',
    )}, ${commandsOf(
      `vm, group, aks, network vnet, network vnet subnet, network nsg, network nsg rule, network public-ip, network lb, network nic, network dns zone, disk, snapshot, image, vmss,
      acr, acr repository, account, resource, provider, storage account, storage container, sql server, sql db, identity, appservice plan, policy assignment, keyvault, redis`,
      'show',
    )}, role assignment list, vm list-sizes, vm list-ip-addresses, vm get-instance-view, aks get-upgrades, aks get-versions, acr repository show-tags, account list-locations, ad signed-in-user show`]:
      reads,
    version: { does: 'read' },
    [`keyvault secret show, keyvault secret download, keyvault secret backup, keyvault key download, keyvault certificate download, account get-access-token, aks get-credentials,
    acr credential show, acr login, storage account keys list, storage account show-connection-string, storage account generate-sas, storage container generate-sas, storage blob generate-sas,
    cosmosdb keys list, redis list-keys, servicebus namespace authorization-rule keys list, eventhubs namespace authorization-rule keys list, webapp config appsettings list,
    webapp config connection-string list, webapp deployment list-publishing-profiles, webapp deployment list-publishing-credentials, functionapp config appsettings list, functionapp keys list,
    container show, container list, containerapp secret show, containerapp show, ad sp create-for-rbac, ad app credential reset, ad sp credential reset, deployment group show, deployment sub show`]:
      prints,
    'role assignment create, role definition create, ad app permission grant, keyvault set-policy': {
      ...open,
      does: 'write',
      says: 'changes rights:',
      risk: { rights: true },
    },
    'group delete': { ...open, does: 'delete', kind: 'group', risk: { destroys: true } },
  },
  verbs: {
    'delete purge remove delete-* deallocate revoke-* uninstall': { ...open, does: 'delete' },
    'create update add set set-* upload import enable disable start stop restart scale upgrade deploy assign attach detach tag move lock':
      {
        ...open,
        does: 'write',
        says: 'changes',
      },
    'run-command invoke exec ssh run': { ...open, does: 'execute', operands: ['word*'] },
  },
};
