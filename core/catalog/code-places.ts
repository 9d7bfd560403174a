/** Generated from core/catalog/file-kinds.yaml by `npm run docs`: do not edit. */

export const folders = "src source sources lib libs app apps core cmd pkg internal packages modules components pages views routes controllers models services api server client web frontend backend test tests spec specs __tests__ e2e unit integration docs doc documentation examples example samples scripts bin tools include utils helpers hooks adapters plugins styles templates locales i18n migrations bench benchmarks lambdas functions policies" as const;

export const ripgrepTypes = "ts typescript js py python rb ruby go rust java kotlin scala c cpp cs csharp perl swift dart elixir erlang haskell lua r julia clojure groovy vue svelte css sass less html md markdown rst sql graphql protobuf sh zsh fish ps make cmake tf" as const;
