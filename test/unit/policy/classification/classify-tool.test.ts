/** The capability of tools by their names. */

import { wordsOf } from '#core/mcp/tools/action.ts';
import { capabilityFromName, classifyTool, moreSevere } from '#core/policy/classification/classify-tool.ts';
import { changingVerbs } from '#core/policy/classification/verbs.ts';
import { entry } from '../../mcp/entry.ts';

const names: Readonly<Record<string, string>> = {
  read: `
    get_file_contents scm.list_branches listBranches pull_request_read issue_read issue_search comment_list getUser
    READ_FILE read_text_file read_media_file read_multiple_files list_directory list_directory_with_sizes directory_tree
    list_allowed_directories get_file_info search_files search_code search_repositories list_pull_requests
    get_pull_request_diff get_commit list_commits list_releases get_latest_release get_release_by_tag list_tags get_tag
    list_workflow_runs get_workflow_run get_job_logs list_open_issues list_deleted_files get_issue_comments list_label
    list_notifications get_me compare_commits merge_request_list get_merge_request git_status git_log git_diff_unstaged
    git_show scm.log docker.logs query-docs resolve_library_id brave_web_search slack_list_channels
    slack_get_channel_history notion-search API-get-user s3_list_objects k8s_get_pods batch_get_items get_current_time
    convert_time get_exchange_rate calculate_distance read_graph search_nodes fetch WebFetch Glob Grep LS
    describe_table list_tables get_table_schema count_rows find_usages validate_schema get_updates list_runs get_run_details list_call_logs order_history
    get_settings list_assignments get_publisher list_droplets get_place_details get_react_docs get_feature_flag
    kubernetes.get_pods get_rid get_grid_of_values terraform.show read-file get-library-docs
    list list_code_usages list_statuses list_issues_for_repo list_files_in_folder list_items_by_price check_status verify_signature show_file`,
  write: `
    create_pull_request updateUser write_file edit_file move_file create_directory search_and_replace search_replace
    find_replace read_write_file get_set_value readModifyWrite read_modify_write get_and_scale kubernetes.get_and_scale
    k8s.list_apply helm.get_upgrade terraform.show_apply list_sync view_edit describe_patch fetchAndStore check_out_book
    get_or_create_user find_or_create read2write get.write read.file pull_request_merge merge_pull_request git_commit git_add
    git_checkout git_branch git_pull pull_request_review_write add_issue_comment issue_write push_files fork_repository
    resolve_thread dismiss_notification mark_all_notifications_read slack_post_message send_email post_tweet
    assign_copilot_to_issue create_test create_or_update_file star_repository download_file convert_file list_autosave
    get_normalize open_nodes log_message show_import count_increment list_files_chmod get_item_post_message read_transfer_money listUpsert view_enable
    list_item_for_sale list_items_for_sale listOnMarketplace list_property_on_zillow list_house_for_rent check_box show_notification verify_domain_identity`,
  execute: `
    run_tests deploy_service think frob query run_query Bash GETFILE getset get_and_frobnicate search_or_zap actions_run_trigger
    browser_click build start_server fetch_execute describe_invoke explain_analyze list_run_command workflow_run status unnamed get_löschen
    list_nft list_item list_address`,
  delete: `
    delete_repo deleteUser list_and_delete repo/remove kill_process revoke_key truncate_table terminate_instance
    reset_password list_drop list_dropall listDeleteFiles search_and_destroy getURLAndDelete HTTPDelete get2delete
    files.delete.list view-then-purge list_evict get_drain get_rid_of_file getRidOf clear_cache drop_table uninstall_package read_pop`,
};
const rows = Object.entries(names).flatMap(([capability, all]) =>
  all
    .trim()
    .split(/\s+/)
    .map((name) => [name, capability] as const),
);

describe('[action.same-class-everywhere] the gravest verb of a name counts, however the name is written', () => {
  test.each(rows)('%s is of class %s', (name, capability) => {
    expect(capabilityFromName(name)).toBe(capability);
  });

  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const forms: readonly (readonly [form: string, write: (verb: string) => string])[] = [
    ['camel, in the middle', (verb) => `get${capital(verb)}Repo`],
    ['camel, at the end', (verb) => `getRepo${capital(verb)}`],
    ['Pascal', (verb) => `Get${capital(verb)}Repo`],
    ['snake', (verb) => `get_${verb}_repo`],
    ['kebab', (verb) => `get-${verb}-repo`],
    ['between digits', (verb) => `get2${verb}3repo`],
    ['capitals between digits', (verb) => `get2${verb.toUpperCase()}3repo`],
    ['capitals before a capital', (verb) => `get${verb.toUpperCase()}Repo`],
    ['capitals before lower case', (verb) => `get${verb.toUpperCase()}repo`],
    ['capitals at the beginning', (verb) => `${verb.toUpperCase()}repo`],
    ['capitals at the end', (verb) => `getRepo${verb.toUpperCase()}`],
    ['capitals in snake', (verb) => `get_${verb.toUpperCase()}_repo`],
    ['all capitals', (verb) => `GET_${verb.toUpperCase()}_REPO`],
    ['after an abbreviation', (verb) => `getURL${verb}`],
    ['capitals after an abbreviation', (verb) => `getURL${verb.toUpperCase()}`],
    ['capitals before an abbreviation', (verb) => `get${verb.toUpperCase()}URL`],
    ['in a family', (verb) => `tools.${verb.toUpperCase()}repo.get`],
  ];
  test.each(forms)('a changing verb is found %s', (_, write) => {
    const hidden = [...changingVerbs]
      .filter(([verb]) => !verb.includes('-') && !['in', 'out', 'off'].includes(verb))
      .map(([verb, change]) => ({ name: write(verb), change }))
      .filter(({ name, change }) => {
        const found = capabilityFromName(name);
        return moreSevere(found, change) !== found;
      });
    expect(hidden).toEqual([]);
  });

  test.each(['readPOSTdata', 'lookup_POST_value', 'getPOST'])('%s names the method', (name) => {
    expect(capabilityFromName(name)).toBe('write');
  });

  test.each(
    `DBListTables getHTTPResponse listAPIKeys getURL getDNSRecords describeDBInstances getPRComments getJSONSchema listACLs getCPUUsage
    getOSSetup readCSVFile getIDETheme findUIElements listVMs getPDFText showSQLPlan getPostById READ_POST`.split(
      /\s+/,
    ),
  )('%s only reads', (name) => {
    expect(capabilityFromName(name)).toBe('read');
  });

  test('a name of look-alike letters is read as what it looks like', () => {
    expect(capabilityFromName('d\u0435lete_file')).toBe('delete');
  });

  test('an empty name says nothing', () => expect(capabilityFromName('')).toBe('execute'));
});

test.each([
  ['delete_repo', { readOnlyHint: true }, 'delete'],
  ['think', { readOnlyHint: true }, 'execute'],
  ['write_file', { destructiveHint: true }, 'write'],
  ['run_tests', { destructiveHint: true, readOnlyHint: false }, 'execute'],
  ['write_file', { destructiveHint: false }, 'write'],
  ['think', { destructiveHint: true }, 'delete'],
  ['get_file', { destructiveHint: true }, 'delete'],
  ['get_file', { readOnlyHint: false }, 'write'],
  ['get_file', { readOnlyHint: true, destructiveHint: false }, 'read'],
  ['get_file', {}, 'read'],
  ['get_file', null, 'read'],
  ['get_file', 'nonsense', 'read'],
])('[action.annotations-only-tighten] %s with %j is of class %s', (name, annotations, capability) => {
  expect(capabilityFromName(name, annotations)).toBe(capability);
});

test('[action.same-class-everywhere] the reason names the verb', () => {
  expect(classifyTool('search_and_replace').why).toContain('"replace"');
  expect(classifyTool('get_file', { destructiveHint: true }).why).toContain('destructiveHint');
});

test('[action.same-class-everywhere] MCP asks the same table', () => {
  for (const [own, capability] of rows) {
    const tool = { own, exposed: own, entry: entry(), definition: { name: own } };
    expect([own, wordsOf(tool).capability]).toEqual([own, capability]);
  }
});
