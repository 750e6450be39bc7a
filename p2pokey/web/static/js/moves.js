// What the player does; what cannot be taken back is asked for.

import {
  act, ask, change, describe, faceOf, game, isDuel, leaving, local, mayAct, person, refuse, sentence, settings, signed,
  state, t, table, tell, toast,
} from "./core.js";
import { laidAside, landAt, mayWork, sent, setAside, tableSets } from "./hand.js";
import { isHidden } from "./layout.js";

const can = () => game()?.can ?? {};

function isStopped() {
  if (!mayAct()) refuse({ code: state.control ? "frozen" : "other-tab" });
  return !mayAct();
}

function ready(name) {
  if (isStopped()) return false;
  if (!can()[name]) refuse(game()?.why?.[name]);
  return Boolean(can()[name]);
}

function priced(name, charge) {
  const go = () => act(name);
  if (charge) ask(t(`ask.${name}`, { points: signed(charge) }), `do.${name}`, go, true);
  else go();
}

export function draw(place = null) {
  if (!ready("draw")) return;
  landAt(place);
  const go = () => act("draw");
  if (!local.work) go();
  else ask(t("ask.draw-drops-work"), "do.draw", () => {
    sent();
    go();
  });
}

export function take(place = null) {
  if (!ready("take")) return;
  landAt(place);
  act("take");
}

export const pass = () => ready("pass") && act("pass");

export const drawOrPass = () => (can().pass && !can().draw ? pass() : draw());

export const giveBack = () => ready("return") && priced("return", can().return_charge);

export function takeBack() {
  if (!ready("take_back")) return;
  const { charge } = can().take_back;
  if (charge) priced("take-back", charge);
  else ask(t("ask.take-back-free"), "do.take-back", () => act("take-back"));
}

export const goPairs = () => ready("go_pairs") && ask(t("ask.go-pairs"), "do.go-pairs", () => act("go-pairs"));

export const show = () => ready("show") && act("show", { tile: can().show });

// Discards a tile; finishes with it where only that is possible.
export function discard(tile) {
  if (!tile || leaving() || isHidden(tile) || isStopped()) return;
  const finishes = can().finish?.includes(tile);
  if (!can().discard?.includes(tile)) {
    if (finishes) finish(tile);
    else refuse(game().why?.[`discard ${tile}`] ?? game().why?.discard);
  } else if (laidAside().length > 0 && !finishes) {
    ask(t("ask.discard-with-melds"), "do.discard", () => sure(tile), true);
  } else sure(tile);
}

function sure(tile) {
  const { okey, rack, hints } = game();
  const go = async () => {
    change({ picked: [], leaving: tile });
    if (await act("discard", { tile })) change({ leaving: null });
  };
  const isLast = rack.length === 1;
  const warned = hints?.playable?.find((hint) => hint.tile === tile);
  const named = describe(tile);
  if (okey && faceOf(tile) === okey && !isLast) ask(t("ask.discard-okey"), "do.discard", go, true);
  else if (warned && !isLast) {
    ask(t("ask.discard-playable", { tile: named, points: signed(warned.charge) }), "do.discard", go, true);
  } else if (settings().confirm_discard) ask(t("ask.discard", { tile: named }), "do.discard", go);
  else go();
}

export function discardPicked(tile = local.picked.length === 1 ? local.picked[0] : null) {
  if (tile) discard(tile);
  else if (can().discard?.length) toast(t("hint.pick-one"));
  else refuse(game().why?.discard);
}

export function finish(tile = can().finish?.[0]) {
  if (isStopped()) return;
  if (!can().finish?.includes(tile)) {
    refuse(game().why?.finish);
    return;
  }
  change({ picked: [] });
  act("finish", { tile });
}

async function lay(name, more, send = act) {
  const refused = await send(name, more);
  if (!refused) sent();
  return refused;
}

export async function layMelds() {
  const { melds } = local;
  const name = can().open ? "open" : "lay";
  if (melds.length === 0) return toast(t("hint.how-to-open"));
  if (!ready(name)) return null;
  const refused = await lay(name, { melds }, tell);
  const sure = () => lay(name, { melds, sure: true });
  if (refused?.rule === "OT-7" && mayClaim()) return ask(t("ask.open-below", { why: sentence(refused) }), "do.open-anyway", sure, true);
  return refused && refuse(refused);
}

// Failed openings are charged, and one may open and finish at once.
export const mayClaim = () => ["101-standard", "101-progressive"].includes(table().rules);

export const claim = (tile) => lay("claim", { discard: tile, melds: local.melds, additions: [] });

export function finishTurn() {
  if (!local.work) toast(t("hint.how-to-play"));
  else if (ready("play")) lay("play", { table: tableSets() });
}

async function withPicked(name, more) {
  if (!(await act(name, more))) change({ picked: [] });
}

export const feed = (meld, end, tiles) => withPicked("add", { meld, end, tiles });

export function dropOnMeld(meld, tiles, end = null) {
  const ends = (can().add ?? []).filter((entry) => entry.meld === meld && entry.tile === tiles[0]);
  const fetched = (can().retrieve ?? []).find((entry) => entry.meld === meld && entry.supply.every((tile) => tiles.includes(tile)));
  if (ends.length) feed(meld, (ends.find((entry) => entry.end === end) ?? ends[0]).end, tiles);
  else if (fetched) retrieve(fetched);
  else refuse(game()?.why?.add ?? { code: "no-fit" });
}

export function retrieve({ meld, place, supply, charge, payer = null }) {
  const go = () => withPicked("retrieve", { meld, place, supply });
  if (!charge || payer === null) go();
  else ask(t("ask.retrieve", { name: person(payer).name, points: signed(charge) }), "do.retrieve", go);
}

export function meldPicked() {
  const picked = local.picked.filter((tile) => !isHidden(tile));
  if (picked.length === 0) toast(t("hint.pick-first"));
  else if (isDuel() && !mayWork()) ready("play");
  else setAside(picked);
}
