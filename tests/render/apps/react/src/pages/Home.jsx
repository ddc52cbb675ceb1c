import { useState } from "react";
import { useNavigate } from "react-router";
import { api, at } from "../shop.js";

export function Home() {
  const navigate = useNavigate();
  const [isSearching, setSearching] = useState(false);

  const findGift = async () => {
    setSearching(true);
    const { path } = await api("gift");
    setTimeout(() => navigate(path), 80);
  };
  const enterMembers = () => {
    if (window.confirm("This part is for members. Are you one?")) navigate("/members");
  };

  return (
    <>
      <h1>Made for weather</h1>
      <p>Tents, boots and coats, tried by people who have been wet before.</p>
      <div className="tiles">
        <button className="tile" onClick={() => navigate("/deals")}>Deals of the week</button>
        <div className="tile" onClick={() => navigate("/journal")}>
          <h3>From the journal</h3>
          <p>Notes from the trail.</p>
        </div>
        <button className="tile" onClick={findGift} disabled={isSearching}>
          {isSearching ? "Looking around" : "Find a gift"}
        </button>
        <button className="tile" onClick={() => window.open(at("/brochure"))}>See the brochure</button>
        <div className="tile" onClick={() => window.location.assign(at("/tax-free"))}>Tax-free shopping</div>
        <button className="tile" onClick={enterMembers}>Members' corner</button>
      </div>
    </>
  );
}
