/**
 * Known nodes of PostgreSQL's parse tree, each with all its members. Any other node or member makes the text unclear,
 * because it may call a function or change a row.
 */

/** Form of a member: ignored, a list of nodes, or a single node whose kind the tree omits. */
type Member = 'plain' | 'nodes' | { readonly kind: string };
type Shape = ReadonlyMap<string, Member>;

/**
 * Parses members as written below: `a` has no effect, `a*` contains nodes, `a:Kind` contains the members of a node of
 * that kind.
 */
const shapeOf = (members: string): Shape =>
  new Map(
    members
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word): [string, Member] => {
        if (word.endsWith('*')) return [word.slice(0, -1), 'nodes'];
        const [name = '', kind] = word.split(':');
        return [name, kind === undefined ? 'plain' : { kind }];
      }),
  );

/** Members of each node. Those that a reader in `read-statements.ts` handles itself are not marked here. */
const nodeMembers: Readonly<Record<string, string>> = {
  // Statements.
  SelectStmt: `distinctClause* intoClause:IntoClause targetList* fromClause* whereClause* groupClause* groupDistinct
    havingClause* windowClause* valuesLists* sortClause* limitOffset* limitCount* limitOption lockingClause withClause
    op all larg:SelectStmt rarg:SelectStmt`,
  InsertStmt: `relation:RangeVar cols* selectStmt* onConflictClause:OnConflictClause returningClause:ReturningClause
    withClause override`,
  UpdateStmt: `relation:RangeVar targetList* whereClause* fromClause* returningClause:ReturningClause withClause`,
  DeleteStmt: `relation:RangeVar usingClause* whereClause* returningClause:ReturningClause withClause`,
  MergeStmt: `relation:RangeVar sourceRelation* joinCondition* mergeWhenClauses* returningClause:ReturningClause withClause`,
  OnConflictClause: 'action infer:InferClause targetList* whereClause*',
  InferClause: 'indexElems* whereClause* conname',
  IndexElem: 'name expr* indexcolname collation opclass opclassopts* ordering nulls_ordering',
  MergeWhenClause: 'matchKind commandType override condition* targetList* values*',
  ReturningClause: 'options exprs*',
  IntoClause: 'rel colNames accessMethod options* onCommit tableSpaceName skipData',
  CommonTableExpr: 'ctename aliascolnames ctematerialized ctequery* search_clause cycle_clause:CTECycleClause',
  CTECycleClause: 'cycle_col_list cycle_mark_column cycle_mark_value* cycle_mark_default* cycle_path_column',

  // Items in FROM.
  RangeVar: 'catalogname schemaname relname inh relpersistence alias',
  RangeSubselect: 'lateral subquery* alias',
  RangeFunction: 'lateral ordinality is_rowsfrom functions* alias coldeflist*',
  RangeTableSample: 'relation* method args* repeatable*',
  RangeTableFunc: 'lateral docexpr* rowexpr* namespaces* columns* alias',
  RangeTableFuncCol: 'colname typeName:TypeName for_ordinality is_not_null colexpr* coldefexpr*',
  JoinExpr: 'jointype isNatural larg* rarg* usingClause join_using_alias quals* alias rtindex',
  JsonTable: `context_item:JsonValueExpr pathspec:JsonTablePathSpec passing* columns* on_error:JsonBehavior alias
    lateral`,
  JsonTableColumn: `coltype name typeName:TypeName pathspec:JsonTablePathSpec format:JsonFormat wrapper quotes columns*
    on_empty:JsonBehavior on_error:JsonBehavior`,
  JsonTablePathSpec: 'string* name name_location',

  // Expressions.
  A_Const: 'ival fval boolval sval bsval isnull',
  A_Star: '',
  A_Expr: 'kind name lexpr* rexpr* rexpr_list_start rexpr_list_end',
  A_ArrayExpr: 'elements* list_start list_end',
  A_Indirection: 'arg* indirection*',
  A_Indices: 'is_slice lidx* uidx*',
  BoolExpr: 'boolop args*',
  BooleanTest: 'arg* booltesttype',
  CaseExpr: 'arg* args* defresult*',
  CaseWhen: 'expr* result*',
  CoalesceExpr: 'args*',
  CollateClause: 'arg* collname',
  ColumnRef: 'fields',
  CurrentOfExpr: 'cvarno cursor_name cursor_param',
  FuncCall: `funcname args* agg_order* agg_filter* over:WindowDef agg_within_group agg_star agg_distinct func_variadic
    funcformat`,
  GroupingFunc: 'args*',
  GroupingSet: 'kind content*',
  List: 'items*',
  MergeSupportFunc: 'msftype',
  MinMaxExpr: 'op args*',
  MultiAssignRef: 'source* colno ncolumns',
  NamedArgExpr: 'arg* name argnumber',
  NullTest: 'arg* nulltesttype argisrow',
  ParamRef: 'number',
  ResTarget: 'name indirection* val*',
  RowExpr: 'args* row_format colnames',
  SetToDefault: '',
  SortBy: 'node* sortby_dir sortby_nulls useOp',
  SQLValueFunction: 'op typmod',
  String: 'sval',
  SubLink: 'subLinkType testexpr* operName subselect*',
  TypeCast: 'arg* typeName:TypeName',
  TypeName: 'names setof pct_type typmods* typemod arrayBounds',
  WindowDef: 'name refname partitionClause* orderClause* frameOptions startOffset* endOffset*',
  XmlExpr: 'op name named_args* arg_names args* xmloption indent',
  XmlSerialize: 'xmloption expr* typeName:TypeName indent',

  // JSON.
  JsonAggConstructor: 'output:JsonOutput agg_filter* agg_order* over:WindowDef',
  JsonArgument: 'val:JsonValueExpr name',
  JsonArrayAgg: 'constructor:JsonAggConstructor arg:JsonValueExpr absent_on_null',
  JsonArrayConstructor: 'exprs* output:JsonOutput absent_on_null',
  JsonArrayQueryConstructor: 'query* output:JsonOutput format:JsonFormat absent_on_null',
  JsonBehavior: 'btype expr* coerce',
  JsonFormat: 'format_type encoding',
  JsonFuncExpr: `op column_name context_item:JsonValueExpr pathspec* passing* output:JsonOutput on_empty:JsonBehavior
    on_error:JsonBehavior wrapper quotes`,
  JsonIsPredicate: 'expr* format:JsonFormat item_type unique_keys',
  JsonKeyValue: 'key* value:JsonValueExpr',
  JsonObjectAgg: 'constructor:JsonAggConstructor arg:JsonKeyValue absent_on_null unique',
  JsonObjectConstructor: 'exprs* output:JsonOutput absent_on_null unique',
  JsonOutput: 'typeName:TypeName returning:JsonReturning',
  JsonParseExpr: 'expr:JsonValueExpr output:JsonOutput unique_keys',
  JsonReturning: 'format:JsonFormat typid typmod',
  JsonScalarExpr: 'expr* output:JsonOutput',
  JsonSerializeExpr: 'expr:JsonValueExpr output:JsonOutput',
  JsonValueExpr: 'raw_expr* format:JsonFormat',

  // A column of a table, or of a function in FROM.
  ColumnDef: `colname typeName:TypeName compression inhcount is_local is_not_null is_from_type storage storage_name
    raw_default* identity generated collClause:CollateClause constraints* fdwoptions*`,
};

export const shapes: ReadonlyMap<string, Shape> = new Map(
  Object.entries(nodeMembers).map(([kind, members]) => [kind, shapeOf(members)]),
);

/** Position of a node in the text, which may be present on any node. */
export const placeMember = 'location';

/**
 * Parts of statements that define or configure something. The statement itself is an operation, regardless of its
 * contents; expressions in it are read as usual.
 */
export const definitionNodes: ReadonlySet<string> = new Set(
  `AccessPriv AlterTableCmd BitString Boolean Constraint CreateOpClassItem DefElem Float FunctionParameter Integer
  ObjectWithArgs PartitionBoundSpec PartitionCmd PartitionElem PartitionRangeDatum PartitionSpec PublicationObjSpec
  PublicationTable ReplicaIdentityStmt RoleSpec SinglePartitionSpec StatsElem TableLikeClause TriggerTransition
  VacuumRelation`
    .trim()
    .split(/\s+/),
);
