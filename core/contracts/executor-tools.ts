/** Tools that the executors run without a tool server. */

export const gitTools = [
  'scm.get_repository',
  'scm.get_file_contents',
  'scm.list_directory',
  'scm.list_branches',
  'scm.get_branch',
  'scm.list_commits',
  'scm.get_commit',
  'scm.get_pull_request',
  'scm.list_pull_requests',
  'scm.get_pull_request_files',
  'scm.get_issue',
  'scm.list_issue_comments',
  'scm.create_branch',
  'scm.create_or_update_file',
  'scm.delete_file',
  'scm.push_files',
  'scm.create_pull_request',
  'scm.update_pull_request',
  'scm.create_issue',
  'scm.create_issue_comment',
] as const;

/** Tools of the `shell` executor that take the program as a parameter. */
export const shellCarriers = ['run', 'exec', 'execute', 'command', 'run_command', 'shell'] as const;
