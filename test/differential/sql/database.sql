-- Tables, and functions, operators and types that record their call: each calls `trace`, so that a row of `traces` shows that it ran.
create table users (id int primary key, name text, email text, age int, tags text[], data jsonb, born date);
create table orders (id int primary key, user_id int, total numeric(10,2), status text, created_at timestamptz);
create table docs (id int primary key, body text, payload jsonb, content xml);
create schema hr;
create table hr.salaries (user_id int, amount int);
create table traces (what text);
create sequence counter;
insert into users select i, 'user ' || i, 'u' || i || '@example.org', 20 + i, array['a', 'b' || i],
  jsonb_build_object('a', i, 'items', jsonb_build_array(1, 2)), date '2000-01-01' + i from generate_series(1, 4) i;
insert into orders select i, 1 + i % 4, i * 10.5, case when i % 2 = 0 then 'paid' else 'open' end,
  timestamptz '2026-01-01 00:00Z' + i * interval '1 day' from generate_series(1, 6) i;
insert into docs select i, 'text ' || i, '{"a": 1}', '<r><a>1</a></r>' from generate_series(1, 3) i;
insert into hr.salaries select i, i * 1000 from generate_series(1, 4) i;
create view adults as select id, name, age from users where age >= 18;

create function trace(what text) returns void language sql volatile as $$ insert into public.traces values (what) $$;

create function wipe(x int) returns int language plpgsql volatile as $$
  begin perform public.trace('wipe'); delete from public.orders; return x; end $$;
create function wipe(x text) returns text language plpgsql volatile as $$
  begin perform public.trace('wipe'); delete from public.orders; return x; end $$;
create function wipe(x float8) returns float8 language plpgsql volatile as $$
  begin perform public.trace('wipe'); delete from public.orders; return x; end $$;
create function wipe(x boolean) returns boolean language plpgsql volatile as $$
  begin perform public.trace('wipe'); delete from public.orders; return x; end $$;
create function wipe(x jsonb) returns jsonb language plpgsql volatile as $$
  begin perform public.trace('wipe'); delete from public.orders; return x; end $$;
create function wipe(x date) returns date language plpgsql volatile as $$
  begin perform public.trace('wipe'); delete from public.orders; return x; end $$;
create function wipe(x int[]) returns int[] language plpgsql volatile as $$
  begin perform public.trace('wipe'); delete from public.orders; return x; end $$;
create function wipe(x text[]) returns text[] language plpgsql volatile as $$
  begin perform public.trace('wipe'); delete from public.orders; return x; end $$;
create function wipe_row(u users) returns int language plpgsql volatile as
  $$ begin perform public.trace('wipe_row'); return 1; end $$;
create function hr.lower(x text) returns text language plpgsql volatile as
  $$ begin perform public.trace('hr.lower'); return x; end $$;
create procedure wipe_all() language plpgsql as $$ begin perform public.trace('wipe_all'); end $$;
create function wipe_compare(a int, b int) returns int language plpgsql immutable as
  $$ begin perform public.trace('wipe_compare'); return btint4cmp(a, b); end $$;
create function wipe_less(a int, b int) returns boolean language plpgsql immutable as
  $$ begin perform public.trace('wipe_less'); return a < b; end $$;
create function wipe_checked(x int) returns boolean language plpgsql immutable as
  $$ begin perform public.trace('wipe_checked'); return true; end $$;
create operator === (leftarg = int, rightarg = int, function = wipe_less);
create operator <<< (leftarg = int, rightarg = int, function = wipe_less);
create operator hr.= (leftarg = int, rightarg = int, function = wipe_less);
create operator @#@ (rightarg = int, function = wipe);
create operator class wipe_ops for type int using btree as operator 1 <<< (int, int),
  operator 3 === (int, int), function 1 wipe_compare(int, int);
create domain checked as int check (wipe_checked(value));
create type mood as enum ('happy', 'sad');
create type pair as (a checked, b text);
create function mood_text(m mood) returns int language plpgsql volatile as
  $$ begin perform public.trace('mood_text'); return 1; end $$;
create cast (mood as int) with function mood_text(mood);
create function on_change() returns trigger language plpgsql as
  $$ begin perform public.trace('trigger'); return null; end $$;
create trigger changed after insert or update or delete on users execute function on_change();
create rule audited as on update to adults do instead select trace('rule');
