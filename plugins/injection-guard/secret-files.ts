/** Generated from core/catalog/secret-files.yaml by `npm run docs`: do not edit. */

/** Words of the paths of secret files, after a full stop or a slash. */
export const secretFiles =
  ' env envrc ssh gnupg netrc pgpass npmrc pypirc kube docker kubeconfig aws htpasswd wallet bash_history zsh_history id_rsa id_dsa id_ecdsa id_ed25519 shadow gshadow passwd sudoers ';
