// What the player does with the tiles, each asked for where it cannot be taken back.

import { act, ask, sentence, toast } from "./acting.js";
import { laidAside, landAt, mayWork, sent, setAside, tableSets } from "./hand.js";
import { signed, t } from "./i18n.js";
import { change, game, mayAct, person, settings, state, table } from "./store.js";
import { describe, faceOf } from "./tile.js";

const can = () => game()?.can ?? {};

function isStopped() {
  if (mayAct()) return false;
  toast(t(state.control ? "refused.frozen" : "refused.other-tab"), "bad");
  return true;
}

/** Whether the player may do that now; says why not. */
function ready(name) {
  if (isStopped()) return false;
  if (can()[name]) return true;
  const why = game()?.why?.[name];
  toast(why ? sentence(why) : t("refused.not-now"), "bad");
  return false;
}

export function draw(place = null) {
  if (!ready("draw")) return;
  if (state.local.work) {
    ask(t("ask.draw-drops-work"), t("do.draw"), () => {
      sent();
      act({ do: "draw" });
    });
    return;
  }
  landAt(place);
  act({ do: "draw" });
}

export function take(place = null) {
  if (!ready("take")) return;
  landAt(place);
  act({ do: "take" });
}

export function pass() {
  if (ready("pass")) act({ do: "pass" });
}

export function giveBack() {
  if (!ready("return")) return;
  const charge = can().return_charge;
  const go = () => act({ do: "return" });
  if (charge) ask(t("ask.return", { points: signed(charge) }), t("do.return"), go, { danger: true });
  else go();
}

export function takeBack() {
  if (!ready("take_back")) return;
  const { charge } = can().take_back;
  const go = () => act({ do: "take-back" });
  if (charge) ask(t("ask.take-back", { points: signed(charge) }), t("do.take-back"), go, { danger: true });
  else ask(t("ask.take-back-free"), t("do.take-back"), go);
}

export function goPairs() {
  if (ready("go_pairs")) ask(t("ask.go-pairs"), t("do.go-pairs"), () => act({ do: "go-pairs" }));
}

export function show() {
  if (ready("show")) act({ do: "show", tile: can().show });
}

/** Discards a tile; finishes with it where only that is possible. */
export function discard(tile) {
  if (!tile || tile.startsWith("?")) return;
  if (isStopped()) return;
  const finishes = can().finish?.includes(tile);
  if (!can().discard?.includes(tile)) {
    if (finishes) finish(tile);
    else refuseDiscard(tile);
    return;
  }
  if (laidAside().length > 0 && !finishes) {
    ask(t("ask.discard-with-melds"), t("do.discard"), () => sure(tile), { danger: true });
  } else sure(tile);
}

function refuseDiscard(tile) {
  const why = game()?.why?.[`discard ${tile}`] ?? game()?.why?.discard;
  toast(why ? sentence(why) : t("refused.not-now"), "bad");
}

function sure(tile) {
  const { okey, rack } = game();
  const go = () => {
    change({ picked: [] });
    act({ do: "discard", tile });
  };
  const last = rack.length === 1;
  const warned = game().hints?.playable?.find((hint) => hint.tile === tile);
  const named = describe(tile, okey);
  if (okey && faceOf(tile) === okey && !last) {
    ask(t("ask.discard-okey"), t("do.discard"), go, { danger: true });
  } else if (warned && !last) {
    ask(t("ask.discard-playable", { tile: named, points: signed(warned.charge) }), t("do.discard"), go, {
      danger: true,
    });
  } else if (settings().confirm_discard) {
    ask(t("ask.discard", { tile: named }), t("do.discard"), go);
  } else go();
}

export function finish(tile) {
  if (can().finish?.includes(tile)) {
    change({ picked: [] });
    act({ do: "finish", tile });
  } else ready("finish-never");
}

/** Sends the melds that were laid aside: the opening, or further melds. */
export async function layMelds() {
  const melds = state.local.melds;
  const name = can().open ? "open" : "lay";
  if (melds.length === 0 || !ready(name)) return;
  const refused = await act({ do: name, melds }, { quiet: true });
  if (refused?.rule === "OT-7" && mayClaim()) {
    ask(t("ask.open-below", { why: sentence(refused) }), t("do.open-anyway"),
      async () => {
        if (!(await act({ do: name, melds, sure: true }))) sent();
      }, { danger: true });
  } else if (refused) {
    toast(sentence(refused), "bad");
  } else sent();
}

/** Whether this game charges an opening that fails, and lets one open and finish in one move. */
export const mayClaim = () => ["101-standard", "101-progressive"].includes(table().rules);

/** Opens, and finishes with the one tile that is left, in one move. */
export async function claim(tile) {
  const intent = { do: "claim", discard: tile, melds: state.local.melds, additions: [] };
  if (!(await act(intent))) sent();
}

/** Sends the duel's table as it was rebuilt. */
export async function finishTurn() {
  if (!state.local.work || !ready("play")) return;
  if (!(await act({ do: "play", table: tableSets() }))) sent();
}

/** Adds tiles to a meld on the table. */
export async function feed(meld, end, tiles) {
  const refused = await act({ do: "add", meld, end, tiles });
  if (!refused) change({ picked: [] });
}

/** Where a meld takes this tile: the ends that fit, best guess first. */
function endsFor(meld, tile) {
  return (can().add ?? []).filter((entry) => entry.meld === meld && entry.tile === tile);
}

/** Drops tiles on a meld of the table, whichever end fits. */
export function dropOnMeld(meld, tiles, end = null) {
  const fetched = retrievalFor(meld, tiles);
  const ends = endsFor(meld, tiles[0]);
  if (ends.length === 0 && fetched) {
    retrieve(fetched);
    return;
  }
  if (ends.length === 0) {
    const why = game()?.why?.add;
    toast(why ? sentence(why) : t("refused.no-fit"), "bad");
    return;
  }
  const wanted = ends.some((entry) => entry.end === end) ? end : ends[0].end;
  feed(meld, wanted, tiles);
}

function retrievalFor(meld, tiles) {
  return (can().retrieve ?? []).find(
    (entry) => entry.meld === meld && entry.supply.every((tile) => tiles.includes(tile)),
  );
}

export function retrieve(entry) {
  const go = async () => {
    const { meld, place, supply } = entry;
    if (!(await act({ do: "retrieve", meld, place, supply }))) change({ picked: [] });
  };
  const payer = entry.payer ?? null;
  if (entry.charge && payer !== null) {
    const values = { name: person(payer).name, points: signed(entry.charge) };
    ask(t("ask.retrieve", values), t("do.retrieve"), go);
  } else go();
}

/** The tiles that were picked become a meld, or go on the table of the duel. */
export function meldPicked() {
  const picked = state.local.picked.filter((tile) => !tile.startsWith("?"));
  if (picked.length === 0) {
    toast(t("hint.pick-first"));
    return;
  }
  if (table().rules === "duel" && !mayWork()) ready("play");
  else setAside(picked);
}

/** Says how to discard, or why nothing can be discarded. */
export function explainDiscard() {
  if (can().discard?.length) toast(t("hint.pick-one"));
  else refuseDiscard("");
}
